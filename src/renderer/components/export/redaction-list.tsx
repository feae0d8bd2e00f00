import { useId } from 'react'
import type { RedactionHit } from '../../../shared/contract/exports.ts'
import { shortId, type TaskId } from '../../../shared/records/ids.ts'
import { redactionLabels } from '../../../shared/text/redaction-labels.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { counted } from '../primitives/format.ts'

/** What an export masks: each value once, where it occurs, and whether it is masked. */
export function RedactionList(props: {
  hits: RedactionHit[]
  /** Places of further values, which are masked and not listed. */
  more: number
  /** Null while nothing can be changed. */
  onKeep: ((id: string, kept: boolean) => void) | null
  /** Absent: there is only one task. */
  titleOf?(taskId: TaskId): string
}) {
  const { hits, more, onKeep, titleOf } = props
  if (hits.length === 0)
    return <p className="text-muted">No keys, passwords or home directories were found.</p>
  return (
    <>
      <ul className="divide-y rounded-md border">
        {hits.map((hit) => (
          <Hit key={hit.id} hit={hit} onKeep={onKeep} titleOf={titleOf} />
        ))}
      </ul>
      {more > 0 ? (
        <p className="text-small text-muted">
          {counted(more, 'further place')} are masked and not listed.
        </p>
      ) : null}
    </>
  )
}

/** The list shows two of the places; the others are the same value. */
const placesShown = 2

function Hit({
  hit,
  onKeep,
  titleOf,
}: {
  hit: RedactionHit
  onKeep: ((id: string, kept: boolean) => void) | null
  titleOf?: ((taskId: TaskId) => string) | undefined
}) {
  const { id, kind, match, mark, kept, count, places } = hit
  const labelId = useId()
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <label className="flex min-w-0 items-center gap-2">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-[var(--accent-fill)]"
          checked={!kept}
          disabled={onKeep === null}
          aria-describedby={labelId}
          onChange={(event) => onKeep?.(id, !event.target.checked)}
        />
        <span className="shrink-0">Mask the {redactionLabels[kind]}</span>
        <span id={labelId} className="untrusted min-w-0 flex-1 truncate font-mono text-small">
          {visibleText(match)}
        </span>
        <span className="tabular shrink-0 text-small text-muted">{counted(count, 'place')}</span>
      </label>
      {places.slice(0, placesShown).map((place) => (
        <p
          key={`${place.taskId}:${place.seq}:${place.before}`}
          className="untrusted line-clamp-2 pl-6 font-mono text-small wrap-anywhere text-muted"
        >
          <span className="font-sans">
            {/* Two lines have to show the value with what is around it. */}
            <span className="inline-block max-w-44 truncate align-bottom">
              {titleOf ? titleOf(place.taskId) : shortId(place.taskId)}
            </span>
            {place.seq === null ? '' : `, entry ${place.seq}`}:{' '}
          </span>
          …{visibleText(place.before)}
          <mark className="rounded-sm bg-hover px-0.5 text-ink">
            {kept ? visibleText(match) : mark}
          </mark>
          {visibleText(place.after)}…
        </p>
      ))}
    </li>
  )
}
