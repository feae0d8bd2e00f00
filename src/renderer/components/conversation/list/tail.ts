/**
 * Following the tail of a list. Readers at the tail follow it; those who scroll up or jump elsewhere do not, until they
 * scroll back.
 */
import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Row } from '../rows/row.ts'
import { endThresholdPx, type RowVirtualizer } from './row-virtualizer.ts'

export interface Tail {
  /** Whether the end of the loaded rows is in view. */
  atEnd: boolean
  setAtEnd(atEnd: boolean): void
  /** Whether growth at the tail may scroll the list. */
  pinned: boolean
  /** Whether the user scrolled up from the tail, or started elsewhere. Growth and measuring do not count. */
  left: boolean
  follows: boolean
  /** The user is at the tail again. `pins`: growth may scroll the list from now on. */
  returnToTail(pins: boolean): void
  /** The user scrolls up. */
  scrollAway(): void
  /** Keeps what is in view in place, such as an opened fold. */
  unpin(): void
  /** Both: called when the user moves to another place. */
  leave(): void
  /** Whether the list shows an entry that was requested, and the user has not scrolled since. */
  showsTarget: { current: boolean }
  /** The position after the last scroll, with the height of the rows then. */
  scrolledTo: { current: { offset: number; size: number } }
}

export function useTail(startAt: 'start' | 'end'): Tail {
  const [atEnd, setAtEnd] = useState(true)
  const [pinned, setPinned] = useState(startAt === 'end')
  const [left, setLeft] = useState(startAt === 'start')
  const showsTarget = useRef(false)
  const scrolledTo = useRef({ offset: 0, size: 0 })
  return {
    atEnd,
    setAtEnd,
    pinned,
    left,
    follows: pinned && !left,
    returnToTail(pins) {
      setLeft(false)
      if (pins) setPinned(true)
    },
    scrollAway: () => setLeft(true),
    unpin: () => setPinned(false),
    leave() {
      setPinned(false)
      setLeft(true)
    },
    showsTarget,
    scrolledTo,
  }
}

/** Keeps the tail in view for readers who follow it; returns the list's handler of scroll events. */
export function useFollowedTail(
  tail: Tail,
  list: {
    scroller: RefObject<HTMLDivElement | null>
    rows: Row[]
    live: boolean
    hasNewer: boolean
    /** Whether the list has reached its initial position. */
    settled: boolean
  },
  virtualizer: RowVirtualizer,
): (event: UIEvent<HTMLElement>) => void {
  const { scroller, rows, live, hasNewer, settled } = list
  const { atEnd, left, follows, scrolledTo } = tail
  useTailOverSizes(scroller, rows.length > 0, atEnd && !left, virtualizer)
  useTailKept(
    settled && follows && !hasNewer,
    virtualizer.getTotalSize(),
    virtualizer.isScrolling,
    virtualizer,
  )
  const firstKey = rows[0]?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a page was prepended
  useLayoutEffect(() => {
    // Rows added above are not a scroll by the user.
    scrolledTo.current = {
      offset: virtualizer.scrollOffset ?? 0,
      size: virtualizer.getTotalSize(),
    }
  }, [firstKey])
  // Not the virtualizer's `onChange`, which reports a short scroll only with the next change of the rows.
  return ({ currentTarget }) => {
    const { scrollTop: offset } = currentTarget
    // From the virtualizer, because reading them from the element makes the browser lay out what was just rendered.
    const size = virtualizer.getTotalSize()
    const heightPx = virtualizer.scrollRect?.height ?? currentTarget.clientHeight
    const shrunkPx = Math.max(0, scrolledTo.current.size - size)
    const upPx = scrolledTo.current.offset - offset
    scrolledTo.current = { offset, size }
    // Until its rows are measured, an entry that was requested may seem to be at the end.
    if (tail.showsTarget.current) return
    // The end of the loaded rows is not the tail while there are more.
    const isTail = (shownPx: number) => size - shownPx - offset <= endThresholdPx && !hasNewer
    if (isTail(heightPx)) tail.returnToTail(live)
    // Rows that measure smaller than estimated move everything up by the difference.
    // So does the browser at the tail of a list that became taller, whose height the virtualizer does not know yet.
    else if (!left && upPx > shrunkPx + 1 && !isTail(currentTarget.clientHeight)) tail.scrollAway()
  }
}

/**
 * Scrolls to the very end whenever the rows of a list that follows its tail change their height.
 * The virtualizer only adds the difference, so an initial gap of a few pixels would remain. Not
 * while the user scrolls: the height is then compared again after the scroll has ended.
 */
function useTailKept(
  follows: boolean,
  heightPx: number,
  isScrolling: boolean,
  virtualizer: RowVirtualizer,
): void {
  const keptPx = useRef<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer stays the same
  useLayoutEffect(() => {
    if (!follows) keptPx.current = null
    else if (!isScrolling && heightPx !== keptPx.current) {
      keptPx.current = heightPx
      // An unnecessary scroll would stay in flight for a frame, and move a row that is opened in
      // that frame.
      if (virtualizer.getDistanceFromEnd() > 0) virtualizer.scrollToEnd()
    }
  }, [follows, heightPx, isScrolling])
}

/**
 * Keeps the tail in view when the list changes its size: a new width changes the height of every
 * row, and panels below the list (the changes, a question) cover its last rows.
 */
function useTailOverSizes(
  scroller: RefObject<HTMLDivElement | null>,
  hasRows: boolean,
  atEnd: boolean,
  virtualizer: RowVirtualizer,
): void {
  const wasAtEnd = useRef(atEnd)
  const size = useRef({ width: 0, height: 0 })
  useEffect(() => {
    wasAtEnd.current = atEnd
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list's element and its virtualizer stay the same
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let frame = 0
    const observer = new ResizeObserver(() => {
      const before = size.current
      size.current = { width: element.clientWidth, height: element.clientHeight }
      const rewrapped = before.width !== size.current.width
      // A growing list shows its tail anyway.
      const changed = rewrapped || size.current.height < before.height
      if (before.width === 0 || !changed || !wasAtEnd.current) return
      // The rows are measured after this, and newly visible ones after that.
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        virtualizer.scrollToEnd()
        frame = requestAnimationFrame(() => virtualizer.scrollToEnd())
      })
    })
    observer.observe(element)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [hasRows])
}
