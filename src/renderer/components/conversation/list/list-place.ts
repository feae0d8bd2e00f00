/**
 * The scroll position of a list: where it opens, how it follows its tail, and when it requests
 * more.
 */
import {
  type FocusEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Row } from '../rows/rows.ts'

/**
 * The next page is requested when this few rows are left before the first or after the last visible
 * one: about three screens, so that readers seldom reach the edge.
 */
const rowsLeftMin = 60

interface Scrolled {
  scrollToEnd(): void
  /** In pixels. */
  getDistanceFromEnd(): number
  scrollToIndex(index: number, options: { align: 'start' | 'end' }): void
}

/**
 * Opens the list at its start or end once there are rows; returns true when its position is final.
 */
export function useOpenedAt(
  startAt: 'start' | 'end',
  hasRows: boolean,
  virtualizer: Scrolled,
): boolean {
  const [settled, setSettled] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the first rows are there
  useLayoutEffect(() => {
    if (!hasRows) return
    if (startAt === 'end') virtualizer.scrollToEnd()
    // Rows are measured in the frame after they are created; until then the range is an estimate.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [hasRows])
  return settled
}

interface Placed extends Scrolled {
  scrollOffset: number | null
  scrollRect: { height: number } | null
  measurementsCache: { start: number }[]
  getTotalSize(): number
}

/**
 * Moves the virtualizer to a new target before it says which rows to render. Otherwise the rows at the old offset would
 * be rendered first, which after a jump are none of those that are shown.
 */
export function useOffsetOfTarget(
  target: object | null,
  index: number | null,
  virtualizer: Placed,
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
 * Scrolls to the very end whenever the rows of a list that follows its tail change their height.
 * The virtualizer only adds the difference, so an initial gap of a few pixels would remain. Not
 * while the user scrolls: the height is then compared again after the scroll has ended.
 */
export function useTailKept(
  follows: boolean,
  heightPx: number,
  isScrolling: boolean,
  virtualizer: Scrolled,
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
export function useTailOverSizes(
  scroller: RefObject<HTMLDivElement | null>,
  hasRows: boolean,
  atEnd: boolean,
  virtualizer: Scrolled,
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

/** After a jump this long: the next one of many, as in a replay, needs no page of the one before. */
const pageAfterJumpMs = 200

/** Requests a page once each time that few rows are left. `jumped`: shows an entry that was asked for. */
export function usePaging(
  wanted: boolean,
  rowsLeft: number,
  jumped: { current: boolean },
  ask?: () => void,
): void {
  const near = wanted && rowsLeft < rowsLeftMin
  const asking = useRef(ask)
  useEffect(() => {
    asking.current = ask
  })
  useEffect(() => {
    if (!near) return
    const timer = setTimeout(() => asking.current?.(), jumped.current ? pageAfterJumpMs : 0)
    return () => clearTimeout(timer)
  }, [near, jumped])
}

/**
 * The list takes the focus from a row that is scrolled out of the page, so that keys keep working,
 * unless the user has moved the focus elsewhere.
 */
export function useFocusKept(scroller: RefObject<HTMLDivElement | null>) {
  const focused = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (!focused.current || focused.current.isConnected) return
    focused.current = null
    const { activeElement, body } = document
    if (activeElement === null || activeElement === body)
      scroller.current?.focus({ preventScroll: true })
  })
  return {
    onFocus: ({ target }: FocusEvent) => {
      focused.current = target
    },
    // React emits no blur event when a focused row is removed.
    onBlur: () => {
      focused.current = null
    },
  }
}

/**
 * Moves the focus to a row by its key, because the row may have to be rendered first, and a new
 * page changes its index. Until it exists the next key counts from it, so that no press is lost.
 */
export function useRowFocus(scroller: RefObject<HTMLDivElement | null>, rows: Row[]) {
  const wanted = useRef<string | null>(null)
  const indexOf = (key: string): number => rows.findIndex((row) => row.key === key)
  const take = () => {
    if (wanted.current === null) return
    const { activeElement, body } = document
    const isElsewhere =
      activeElement !== null && activeElement !== body && !scroller.current?.contains(activeElement)
    const row = scroller.current?.querySelector<HTMLElement>(
      `[data-index="${indexOf(wanted.current)}"]`,
    )
    if (row || isElsewhere) wanted.current = null
    if (!isElsewhere) row?.focus({ preventScroll: true })
  }
  useLayoutEffect(take)
  return {
    move(key: string) {
      wanted.current = key
      take()
    },
    /** The index of the row that is not rendered yet, or null. */
    pendingIndex(): number | null {
      const index = wanted.current === null ? -1 : indexOf(wanted.current)
      return index < 0 ? null : index
    },
    /** Called when the user moves elsewhere. */
    forget() {
      wanted.current = null
    },
  }
}

/**
 * Scrolls to rows by their keys: a page that arrives meanwhile changes the index of every row, and
 * the requested row is still the one shown.
 */
export function useShownRow(rows: Row[], virtualizer: Scrolled) {
  const asked = useRef<{ key: string; align: 'start' | 'end' } | null>(null)
  const firstKey = useRef(rows[0]?.key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer stays the same
  useLayoutEffect(() => {
    if (firstKey.current === rows[0]?.key) return
    firstKey.current = rows[0]?.key
    if (!asked.current) return
    const { key, align } = asked.current
    const index = rows.findIndex((row) => row.key === key)
    if (index >= 0) virtualizer.scrollToIndex(index, { align })
  }, [rows])
  return {
    show(index: number, align: 'start' | 'end') {
      const row = rows[index]
      asked.current = row ? { key: row.key, align } : null
      virtualizer.scrollToIndex(index, { align })
    },
    /** Called when the user moves elsewhere. */
    forget() {
      asked.current = null
    },
  }
}
