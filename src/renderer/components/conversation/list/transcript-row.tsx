import { memo, type Ref, useState } from 'react'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import { classNames } from '../../primitives/index.ts'
import { EntryJson } from '../rows/entry-json.tsx'
import type { Row } from '../rows/row.ts'
import { rowName } from '../rows/row-name.ts'
import { RowTools } from '../rows/row-tools.tsx'
import { RowView } from '../rows/row-view.tsx'

/** A row at its place in the list. Scrolling renders only those that come into view. */
export const TranscriptRow = memo(function TranscriptRow(props: {
  row: Row
  index: number
  /** Pixels below the beginning of the list. */
  topPx: number
  /** -1 while it is unknown. */
  setSize: number
  /** Jumped to: `new`, a moment ago; `last`, and nothing since. */
  pointedOut: 'new' | 'last' | null
  startsTurn: boolean
  /** Returns the item that a row is a part of. */
  itemOf(row: Row): TranscriptItem | undefined
  ref: Ref<HTMLElement>
}) {
  const { row, index, topPx, setSize, pointedOut, startsTurn, itemOf, ref } = props
  // The buttons with their tooltips cost as much as a short text, so only a used row renders them.
  const [used, setUsed] = useState(false)
  const use = used ? undefined : () => setUsed(true)
  return (
    <article
      ref={ref}
      data-index={index}
      data-seq={row.seq}
      data-row={row.key}
      data-kind={row.kind}
      aria-posinset={index + 1}
      aria-setsize={setSize}
      aria-label={rowName(row)}
      tabIndex={-1}
      onPointerEnter={use}
      onFocus={use}
      className="group/row absolute top-0 left-0 w-full outline-none"
      style={{ transform: `translateY(${topPx}px)` }}
    >
      <div
        className={classNames(
          'relative mx-auto flow-root max-w-column rounded-md px-6 transition-colors group-focus-visible/row:outline-2 group-focus-visible/row:-outline-offset-2 group-focus-visible/row:outline-focus',
          pointedOut === 'new' && 'bg-amber-tint',
          pointedOut &&
            'before:absolute before:inset-y-0.5 before:left-2 before:w-0.5 before:rounded-full before:bg-amber',
        )}
      >
        <RowView row={row} />
        <EntryJson row={row} />
        {startsTurn && 'turn' in row ? <TurnNumber turn={row.turn} /> : null}
        {used ? <RowTools row={row} item={() => itemOf(row)} /> : null}
      </div>
    </article>
  )
})

/** In the margin, if the pane has one; the row's time takes its place. */
function TurnNumber({ turn }: { turn: number }) {
  return (
    <span
      data-aside
      aria-hidden
      className="tabular absolute top-2 right-full hidden px-2 text-small text-faint select-none group-focus-within/row:opacity-0 group-hover/row:opacity-0 group-focus-visible/row:opacity-0 @gutter:block"
    >
      {turn}
    </span>
  )
}
