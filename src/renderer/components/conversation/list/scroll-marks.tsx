/** Marks beside the thumb of a scroll bar for the matches of a search, drawn as one shape however many there are. */
import { memo, useContext, useMemo } from 'react'
import { FoundPlacesContext } from '../find/find-places.ts'
import type { TranscriptHeights } from './transcript-heights.ts'

/** The height of a mark, and the distance below which two marks are merged. */
const markPx = 2

export const ScrollMarks = memo(function ScrollMarks(props: {
  /** From the top of the bar, ascending. */
  tops: readonly number[]
  current: number | null
}) {
  const { tops, current } = props
  if (tops.length === 0 && current === null) return null
  return (
    <svg
      aria-hidden
      data-find-marks={tops.length}
      className="pointer-events-none absolute inset-0 size-full"
    >
      <path
        d={tops.map((top) => `M2 ${top}h8v${markPx}h-8z`).join('')}
        className="fill-amber forced-colors:fill-[Mark]"
      />
      {current === null ? null : (
        <rect
          x={0}
          y={current - 1}
          width={12}
          height={markPx + 2}
          className="fill-accent forced-colors:fill-[Highlight]"
        />
      )}
    </svg>
  )
})

interface Laid {
  heights: Pick<TranscriptHeights, 'between'>
  /** The seqs of the loaded rows; a new array after each change of them. */
  seqs: readonly number[]
  firstSeq: number
  lastSeq: number
  /** The height of the loaded rows. */
  loadedPx: number
  /** Where a loaded entry begins, in pixels below the first loaded row. */
  startOf(seq: number): number
  railPx: number
  /** The transcript's pixels for one pixel of the bar; 0: unknown. */
  pxPerRailPx: number
}

/** Returns the positions of the matches on the bar, recomputed when the scale changes. */
export function useScrollMarks(laid: Laid): { tops: number[]; current: number | null } {
  const found = useContext(FoundPlacesContext)
  const { railPx, pxPerRailPx, firstSeq, lastSeq, seqs } = laid
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights count when the scale changes
  return useMemo(
    () => (found && pxPerRailPx > 0 ? scrollMarks(found, laid) : { tops: [], current: null }),
    [found, pxPerRailPx, railPx, firstSeq, lastSeq, seqs],
  )
}

/** Returns at most one mark for each pixel of the bar. */
export function scrollMarks(
  found: { seqs: readonly number[]; current: number | null },
  laid: Laid,
): { tops: number[]; current: number | null } {
  const { railPx, pxPerRailPx } = laid
  const onRail = (px: number) => Math.round(Math.min(px / pxPerRailPx, railPx - markPx))
  const topOf = topsOf(laid)
  const tops: number[] = []
  for (const seq of found.seqs) {
    const top = onRail(topOf(seq))
    if (top - (tops.at(-1) ?? -markPx) >= markPx) tops.push(top)
  }
  return { tops, current: found.current === null ? null : onRail(topsOf(laid)(found.current)) }
}

/** Call it for entries in ascending order, because what is not loaded is measured from the entry before. */
function topsOf({ heights, firstSeq, lastSeq, loadedPx, startOf }: Laid): (seq: number) => number {
  const headPx = heights.between(1, firstSeq - 1)
  let known = { seq: 1, px: 0 }
  return (seq) => {
    if (seq >= firstSeq && seq <= lastSeq) return headPx + startOf(seq)
    if (seq > lastSeq && known.seq <= lastSeq) known = { seq: lastSeq + 1, px: headPx + loadedPx }
    const px = known.px + heights.between(known.seq, seq - 1)
    known = { seq, px }
    return px
  }
}
