import { useId, useState } from 'react'
import { totalBytes } from '../../../shared/collections/total-bytes.ts'
import type { Sweep } from '../../../shared/contract/retention.ts'
import { counted } from '../primitives/format.ts'
import { Bytes, RelativeTime, TextButton } from '../primitives/index.ts'
import { RemovedList } from './removed-list.tsx'

/**
 * `Would remove 12 transcripts, 340 MB, oldest 92d ago; 48 stay.`, with the list behind Details.
 */
export function SweepPreview({ sweep }: { sweep: Sweep }) {
  const { removed, kept } = sweep
  const [open, setOpen] = useState(false)
  const listId = useId()
  const swept = removed.filter((item) => item.kind === 'transcript')
  const deleted = removed.filter((item) => item.kind !== 'transcript')
  const oldest = swept.map((item) => item.lastActiveAt ?? '').sort()[0]
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="text-muted">
        {swept.length > 0 ? (
          <>
            Would remove <span className="text-ink">{counted(swept.length, 'transcript')}</span>,{' '}
            <Bytes count={totalBytes(swept)} />
            {oldest ? (
              <>
                , oldest <RelativeTime at={oldest} />
              </>
            ) : null}
            .{' '}
          </>
        ) : (
          'No transcripts would be removed. '
        )}
        {deleted.length > 0 ? (
          <>
            Would delete <span className="text-ink">{counted(deleted.length, 'item')}</span> in the
            trash permanently, <Bytes count={totalBytes(deleted)} />.{' '}
          </>
        ) : null}
        {counted(kept, 'transcript')} {kept === 1 ? 'stays' : 'stay'}.
        {removed.length > 0 ? (
          <TextButton
            className="ml-2"
            aria-expanded={open}
            aria-controls={listId}
            onClick={() => setOpen(!open)}
          >
            Details
          </TextButton>
        ) : null}
      </p>
      {open && removed.length > 0 ? <RemovedList id={listId} items={removed} /> : null}
    </div>
  )
}
