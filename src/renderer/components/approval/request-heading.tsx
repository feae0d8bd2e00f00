import type { PendingPermission } from '../../../shared/agents/permissions.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { StatusIcon } from '../primitives/index.ts'

const requestText = (question: PendingPermission): string =>
  question.kind === 'question'
    ? 'asks a question'
    : question.kind === 'command'
      ? `asks to run a command${question.inBackground ? ' in the background' : ''}`
      : question.kind === 'edit'
        ? 'asks to change a file'
        : question.kind === 'configuration'
          ? `asks to start ${question.tool}, which runs what this repository configures`
          : `asks to use ${visibleText(question.tool)}`

/** Enough to know the agent by. What it asks for must stay in view below. */
const titleCharsMax = 80

function shortened(title: string): string {
  const characters = [...title]
  return characters.length > titleCharsMax
    ? `${characters.slice(0, titleCharsMax - 1).join('')}…`
    : title
}

/** Who asks, and for what. `more`: the number of requests that wait after it. */
export function RequestHeading({ question, more }: { question: PendingPermission; more: number }) {
  const titles = question.chain.map(({ title }) => visibleText(title))
  const whole = titles.join(' › ')
  const shown = titles.map(shortened).join(' › ')
  return (
    <div className="flex items-start gap-2">
      <StatusIcon status="waiting" decorative className="mt-0.5" />
      <h2 className="untrusted min-w-0 flex-1">
        <span className="font-semibold" title={shown === whole ? undefined : whole}>
          {shown}
        </span>{' '}
        {requestText(question)}
      </h2>
      {more > 0 ? <span className="shrink-0 text-small text-muted">{more} more</span> : null}
    </div>
  )
}
