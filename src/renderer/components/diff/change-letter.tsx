import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'

/** How a file changed: a coloured letter, and the word for screen readers. */
export function ChangeLetter({ change }: { change: WorkspaceDiff['files'][number]['change'] }) {
  return (
    <span title={change} className={`w-3 shrink-0 font-mono text-code ${colours[change]}`}>
      <span aria-hidden>{letters[change]}</span>
      <span className="sr-only">{change}</span>
    </span>
  )
}

const letters = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const
const colours = {
  added: 'text-green',
  modified: 'text-amber',
  deleted: 'text-red',
  renamed: 'text-accent',
} as const
