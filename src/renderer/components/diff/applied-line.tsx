import { Check, Undo2 } from 'lucide-react'
import { counted } from '../primitives/format.ts'
import { Button, NoticeLine, RelativeTime } from '../primitives/index.ts'

/** Shows what was applied, where and when, with Undo; below it the files that prevent an undo. */
export function AppliedLine(props: {
  /** A renamed file counts once. */
  files: number
  /** The folder or branch, as in the button that applied it. */
  target: string
  /** ISO 8601. */
  at: string
  undoing: boolean
  /** Why it can't be undone now; null if it can. */
  notNow: string | null
  /** Paths that an undo found changed; null if none was tried, or the result was dismissed. */
  changedSince: readonly string[] | null
  onUndo(): void
  onDismiss(): void
}) {
  const { files, target, at, undoing, notNow, changedSince, onUndo, onDismiss } = props
  return (
    <div className="border-b">
      <div className="flex items-center gap-2 px-4 py-1.5 text-ui text-muted">
        <Check aria-hidden className="size-3.5 shrink-0 text-green" />
        <p className="min-w-0 flex-1">
          <span className="untrusted">
            Applied {counted(files, 'file')} to {target}
          </span>{' '}
          <RelativeTime at={at} className="whitespace-nowrap" />
        </p>
        <Button
          variant="quiet"
          icon={<Undo2 />}
          busy={undoing}
          disabled={notNow !== null}
          title={notNow ?? 'Restore all files as they were before'}
          onClick={onUndo}
        >
          Undo
        </Button>
      </div>
      {changedSince ? (
        <NoticeLine
          tone="warning"
          className="px-4 pb-2"
          text={`${counted(changedSince.length, 'file')} changed since, so nothing was undone.`}
          details={[...changedSince]}
          onDismiss={onDismiss}
        />
      ) : null}
    </div>
  )
}
