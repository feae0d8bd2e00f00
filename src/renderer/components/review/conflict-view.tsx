import { TriangleAlert } from 'lucide-react'
import type { ChangeConflict } from '../../../shared/contract/changes/changes.ts'
import { Button } from '../primitives/index.ts'

/** The conflicts of one file: both sides, and the possible actions. */
export function ConflictView(props: {
  conflict: ChangeConflict
  /** The target of the changes, as in the button that applies them. */
  target: string
  applying: boolean
  /** Why nothing can be applied now; null if it can. */
  notNow: string | null
  /** The target's file has changes that are in no commit. */
  uncommitted: boolean
  onReplace(): void
}) {
  const { conflict, target, applying, notNow, uncommitted, onReplace } = props
  const { places, message } = conflict
  return (
    <section
      aria-label="Conflict"
      className="flex flex-col gap-2 rounded-md border border-amber px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-2">
        <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-amber" />
        <p className="untrusted min-w-0 flex-1">
          {places.length > 0
            ? `The same lines were changed in ${target}${uncommitted ? ' and are not committed' : ''}.`
            : message || `The file was also changed in ${target}.`}
        </p>
        <Button
          size="small"
          busy={applying}
          disabled={notNow !== null}
          title={notNow ?? `Replaces the file in ${target} with the agent’s. Undo restores it.`}
          onClick={onReplace}
        >
          Use the agent’s file{uncommitted ? '…' : ''}
        </Button>
      </div>
      {places.map(({ target: there, changes }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places of a conflict have no name, and don't move
        <div key={at} className="grid grid-cols-2 gap-2 max-[899px]:grid-cols-1">
          <Side label={uncommitted ? `In ${target}, not committed` : `In ${target}`} text={there} />
          <Side label="The agent’s" text={changes} />
        </div>
      ))}
      <p className="text-small text-muted">
        To keep parts of both, apply the other files, then edit this one in {target}. To keep{' '}
        {target}’s version, leave this file out.
      </p>
    </section>
  )
}

function Side({ label, text }: { label: string; text: string }) {
  return (
    <figure aria-label={label} className="min-w-0">
      <figcaption className="untrusted pb-0.5 text-small text-muted">{label}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="focus-inset max-h-[240px] overflow-auto rounded-md border bg-sunken px-2 py-1 font-mono text-code"
      >
        {text === '' ? <span className="text-muted">(no lines)</span> : text.replace(/\n$/, '')}
      </pre>
    </figure>
  )
}
