import { memo, type Ref, useState } from 'react'
import { classNames } from '../../primitives/index.ts'
import { rowName } from '../rows/row-name.ts'
import { RowTools } from '../rows/row-tools.tsx'
import { RowView } from '../rows/row-view.tsx'
import type { Row } from '../rows/rows.ts'

/** A row at its place in the list. Scrolling renders only those that come into view. */
export const TranscriptRow = memo(function TranscriptRow(props: {
  row: Row
  index: number
  /** Below the beginning of the list. */
  topPx: number
  /** -1 while it is unknown. */
  setSize: number
  pointedOut: boolean
  ref: Ref<HTMLElement>
}) {
  const { row, index, topPx, setSize, pointedOut, ref } = props
  // Its buttons, with their tooltips, cost as much as a short text: only a row that is used has them.
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
          pointedOut && 'bg-amber-tint',
        )}
      >
        <RowView row={row} />
        {used ? <RowTools row={row} /> : null}
      </div>
    </article>
  )
})
