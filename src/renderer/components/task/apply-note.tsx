import type { ReactNode } from 'react'
import { appliedFileLine } from '../../../shared/agents/tools.ts'
import type { ShownApply } from '../conversation/task-lookup.ts'
import { counted } from '../primitives/format.ts'

/** The outcome of applying the changes of a card's task. */
export function ApplyNote({ apply }: { apply: ShownApply | null }) {
  switch (apply?.kind) {
    case 'conflict':
      return (
        <Note tone="text-amber">
          <p>
            Conflicts in {counted(apply.paths.length, 'file')}. Nothing was changed. Review the
            changes to see both sides, and to apply the other files.
          </p>
          <Paths paths={apply.paths} />
          <details>
            <summary className="w-fit rounded-sm text-accent">Details</summary>
            <p className="untrusted whitespace-pre-line text-muted">{gitMessage(apply.message)}</p>
          </details>
        </Note>
      )
    case 'applied':
      return (
        <Note tone="text-muted">
          <Paths paths={apply.files.map(appliedFileLine)} />
        </Note>
      )
    case 'nothing-to-apply':
      return <Note tone="text-muted">Nothing to apply: no files were changed.</Note>
    case 'failed':
      return <Note tone="text-red">{apply.why}</Note>
    default:
      return null
  }
}

/** The message without its first line, which repeats the note. */
const gitMessage = (message: string): string => message.split('\n').slice(1).join('\n')

function Note({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <div role="status" className={`border-t px-3 py-2 pl-9 text-small ${tone}`}>
      {children}
    </div>
  )
}

/** Enough to show the subject; the Changes tab has all of them. */
const pathsShownMax = 8

function Paths({ paths }: { paths: string[] }) {
  return (
    <ul className="font-mono text-code text-ink">
      {paths.slice(0, pathsShownMax).map((path) => (
        <li key={path} className="untrusted">
          {path}
        </li>
      ))}
      {paths.length > pathsShownMax ? (
        <li className="font-sans text-muted">and {paths.length - pathsShownMax} more</li>
      ) : null}
    </ul>
  )
}
