/** The checks that an agent ran, each with its outcome and whether it still holds for what was delivered. */
import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from 'lucide-react'
import type {
  Check,
  CheckKind,
  CitedCall,
  TaskChecks,
} from '../../../shared/contract/changes/checks.ts'
import { counted, duration } from '../primitives/format.ts'
import { RelativeTime, TextButton } from '../primitives/index.ts'

export function CheckList(props: {
  checks: TaskChecks
  /** Opens the transcript at the call. */
  onOpen(seq: number): void
}) {
  const { checks, onOpen } = props
  const { neverRan, more, cited, citedMore } = checks
  if (checks.checks.length + neverRan.length + cited.length === 0)
    return <p className="text-muted">No tests, type checks, linters or builds were found.</p>
  return (
    <>
      <ul className="flex flex-col divide-y">
        {checks.checks.map((check) => (
          <CheckRow key={check.command} check={check} onOpen={onOpen} />
        ))}
        {neverRan.map(({ kind, command }) => (
          <li key={`never ${kind}`} className="flex items-start gap-2 py-1.5 text-muted">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-amber" />
            <span className="min-w-0 flex-1">
              {kindNames[kind]}: never ran. The project has{' '}
              <code className="untrusted font-mono text-code">{command}</code>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <p className="text-small text-muted">{counted(more, 'older command')} not listed.</p>
      ) : null}
      {cited.length > 0 ? (
        <div className="flex flex-col gap-1">
          <h4 className="text-small text-muted">Calls that the report cites</h4>
          <ul className="flex flex-col gap-1">
            {cited.map((call) => (
              <CitedRow key={call.callId} call={call} onOpen={onOpen} />
            ))}
          </ul>
          {citedMore > 0 ? (
            <p className="text-small text-muted">and {counted(citedMore, 'call')} more</p>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function CitedRow({ call, onOpen }: { call: CitedCall; onOpen(seq: number): void }) {
  const { seq, turn, name, title, outcome } = call
  const { icon: Icon, colour, word } = callOutcomes[outcome]
  return (
    <li className="flex items-start gap-2 text-small">
      <Icon aria-label={word} className={`mt-px size-3.5 shrink-0 ${colour}`} />
      <TextButton className="shrink-0" onClick={() => onOpen(seq)}>
        Turn {turn}
      </TextButton>
      <span className="untrusted shrink-0">{name}</span>
      {title === null ? null : (
        <code className="untrusted min-w-0 truncate font-mono text-code" dir="ltr" title={title}>
          {title}
        </code>
      )}
    </li>
  )
}

function CheckRow({ check, onOpen }: { check: Check; onOpen(seq: number): void }) {
  const { kind, command, outcome, seq, turn, at, durationMs, times, cited } = check
  const { icon: Icon, colour, word } = outcomes[outcome]
  return (
    <li className="flex items-start gap-2 py-1.5">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <span>
            {kindNames[kind]} {word}
          </span>
          <code className="untrusted min-w-0 font-mono text-code break-words" dir="ltr">
            {command}
          </code>
        </div>
        <p className="flex flex-wrap gap-x-2 text-small text-muted">
          <TextButton onClick={() => onOpen(seq)}>Turn {turn}</TextButton>
          <RelativeTime at={new Date(at).toISOString()} />
          <span>took {duration(durationMs)}</span>
          {times > 1 ? <span>ran {times} times</span> : null}
          {outcome === 'unclear' ? <span>{unclearReason(check)}</span> : null}
          {cited ? <span>cited in the report</span> : null}
        </p>
        <Freshness check={check} />
      </div>
    </li>
  )
}

function unclearReason({ end, exitCode }: Check): string {
  if (end === 'running') return 'in the background; its end was not read'
  if (end === 'killed') return 'in the background; it was ended before it had finished'
  return exitCode === null ? 'no exit code' : `exit code ${exitCode} of the whole command`
}

function Freshness({ check: { state, changed, changedMore } }: { check: Check }) {
  if (state === 'fresh')
    return <p className="text-small text-muted">On the files that were delivered.</p>
  if (state === 'unknown')
    return <p className="text-small text-muted">The files that it ran on were not recorded.</p>
  const all = changed.length + changedMore
  return (
    <details className="text-small">
      <summary className="cursor-default text-amber">
        {counted(all, 'file')} changed after it ran
      </summary>
      <ul className="mt-1 pl-4">
        {changed.map((path) => (
          <li key={path} className="untrusted font-mono text-code break-all" dir="ltr">
            {path}
          </li>
        ))}
        {changedMore > 0 ? <li className="text-muted">and {changedMore} more</li> : null}
      </ul>
    </details>
  )
}

const outcomes = {
  passed: { icon: CircleCheck, colour: 'text-green', word: 'passed' },
  failed: { icon: CircleX, colour: 'text-red', word: 'failed' },
  unclear: { icon: CircleHelp, colour: 'text-muted', word: 'ran; the outcome is not clear' },
} as const

const callOutcomes = {
  ok: { icon: CircleCheck, colour: 'text-green', word: 'Succeeded' },
  error: { icon: CircleX, colour: 'text-red', word: 'Failed' },
  unknown: { icon: CircleHelp, colour: 'text-muted', word: 'Outcome unknown' },
} as const

const kindNames: Record<CheckKind, string> = {
  tests: 'Tests',
  types: 'Types',
  lint: 'Lint',
  build: 'Build',
}
