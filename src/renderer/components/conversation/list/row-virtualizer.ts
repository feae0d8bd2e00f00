/** Which rows of a transcript are rendered, and where: its virtualizer. */
import { type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useReducer, useRef } from 'react'
import type { Row } from '../rows/row.ts'
import { rowIndexOfSeq } from '../rows/row-positions.ts'
import { estimatedHeight, estimatedStart } from './estimated-heights.ts'

/** Rendered beyond each edge: the distance of one turn of a wheel, which is half a dozen short rows or one long one. */
const overscanPx = 400
/** Longer than a frame takes, also of a slow machine, and shorter than a hand needs to scroll after a jump. */
const overscanDelayMs = 80
/** The estimated share of the window for the list, used until it is laid out. */
const shareOfWindow = 0.75
const paddingPx = { start: 16, end: 24 }
/** Positions this near to the end count as the tail. */
export const endThresholdPx = 48

export type RowVirtualizer = Virtualizer<HTMLDivElement, Element>

/** The entry to show, and its row where the entry has several. */
interface Place {
  seq: number
  rowKey?: string | undefined
}

export function useRowVirtualizer(props: {
  rows: Row[]
  scroller: RefObject<HTMLDivElement | null>
  target: Place | null
  startAt: 'start' | 'end'
  /** Whether more entries may follow. */
  live: boolean
  /** Whether rows that are added at the end scroll the list. */
  followsGrowth: boolean
  onEndInView(atEnd: boolean): void
}): RowVirtualizer {
  const { rows, scroller, target, startAt, live, followsGrowth, onEndInView } = props
  const laidOut = useRef<RowVirtualizer | null>(null)
  const overscans = useOverscan(target)
  const virtualizer: RowVirtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    initialOffset: () => firstOffset(rows, target, startAt),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    estimateSize: (index) => estimatedHeight(rows[index]),
    rangeExtractor: (range) =>
      rangeWithin(
        range,
        overscans.current ? overscanPx : 0,
        laidOut.current?.measurementsCache ?? [],
      ),
    anchorTo: 'end',
    followOnAppend: live,
    // -1 disables end detection, so growth at the tail does not scroll.
    scrollEndThreshold: followsGrowth ? endThresholdPx : -1,
    paddingStart: paddingPx.start,
    paddingEnd: paddingPx.end,
    // The virtualizer's own `isAtEnd` makes the browser lay out what was rendered a moment ago.
    onChange: ({ getTotalSize, scrollOffset, scrollRect }) =>
      onEndInView(
        getTotalSize() - (scrollOffset ?? 0) - (scrollRect?.height ?? 0) <= endThresholdPx,
      ),
  })
  laidOut.current = virtualizer
  useOffsetOfTarget(target, target && targetIndex(rows, target), virtualizer)
  // Also while scrolling up, where the virtualizer would otherwise move the rows being read.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }) => {
    const top = virtualizer.scrollOffset ?? 0
    return virtualizer.itemSizeCache.has(key) ? end <= top : start < top
  }
  return virtualizer
}

/**
 * Moves the virtualizer to a new target before it chooses the rows to render. Otherwise the rows at the old offset would
 * be rendered first, which after a jump are none of those that are shown.
 */
function useOffsetOfTarget(
  target: object | null,
  index: number | null,
  virtualizer: RowVirtualizer,
): void {
  const placed = useRef<object | null>(null)
  if (target === placed.current) return
  placed.current = target
  // Lays the new rows out.
  const heightPx = virtualizer.getTotalSize()
  const startPx = virtualizer.measurementsCache[index ?? -1]?.start
  if (startPx === undefined || virtualizer.scrollOffset === null) return
  const lastPx = Math.max(0, heightPx - (virtualizer.scrollRect?.height ?? 0))
  virtualizer.scrollOffset = Math.min(startPx, lastPx)
}

/**
 * Whether rows beyond the edges are rendered. They are not for a moment after the list opens or jumps: they are more than
 * half of the rows, and those in view come in half the time without them.
 */
function useOverscan(target: object | null): { readonly current: boolean } {
  const overscans = useRef(false)
  const latest = useRef<object | null>(null)
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  if (target && target !== latest.current) {
    latest.current = target
    overscans.current = false
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts over with each target
  useEffect(() => {
    if (overscans.current) return
    const timer = setTimeout(() => {
      overscans.current = true
      renderAgain()
    }, overscanDelayMs)
    return () => clearTimeout(timer)
  }, [target])
  return overscans
}

/** Entries before the first row are shown with it. */
export function targetIndex(rows: Row[], { seq, rowKey }: Place): number {
  const named = rows.findIndex(({ key }) => key === rowKey)
  return named >= 0 ? named : Math.max(0, rowIndexOfSeq(rows, seq))
}

/**
 * Where the list opens, by the estimated heights of its rows. From 0 the first rows would be rendered, only to be thrown
 * away when the list is scrolled to its place.
 */
function firstOffset(rows: Row[], target: Place | null, startAt: 'start' | 'end'): number {
  if (target) return paddingPx.start + estimatedStart(rows, targetIndex(rows, target))
  if (startAt === 'start') return 0
  const heightPx = paddingPx.start + estimatedStart(rows, rows.length) + paddingPx.end
  return Math.max(0, heightPx - globalThis.innerHeight * shareOfWindow)
}

/** Rows of up to `beyondPx` beyond each edge. Counted in rows it would be thousands of pixels of long ones. */
function rangeWithin(
  { startIndex, endIndex, count }: Range,
  beyondPx: number,
  sizes: { size: number }[],
): number[] {
  let [first, last] = [startIndex, endIndex]
  const sizeOf = (index: number) => sizes[index]?.size ?? beyondPx
  for (let px = 0; first > 0 && px < beyondPx; px += sizeOf(first)) first -= 1
  for (let px = 0; last < count - 1 && px < beyondPx; px += sizeOf(last)) last += 1
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
