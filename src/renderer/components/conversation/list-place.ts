/** Where a list stands: how it is opened, how it keeps to its tail, and when it asks for more. */
import {
  type FocusEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Row } from './rows.ts'

/**
 * The next page is asked for when this few rows are left before the first or after the last one in view:
 * about three screens, so that a reader seldom meets the edge.
 */
const rowsLeftMin = 60

interface Scrolled {
  scrollToEnd(): void
  /** In pixels. */
  getDistanceFromEnd(): number
  scrollToIndex(index: number, options: { align: 'start' | 'end' }): void
}

/** Opens the list at its start or end once there are rows; true when it has come to rest there. */
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
    // Rows are measured in the frame after they are made; until then the range is a guess.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [hasRows])
  return settled
}

/**
 * Scrolls to the very end each time that the rows of a list that follows its tail have changed their height.
 * The virtualizer adds what was added, so that a few pixels that it was short of the end would stay. Not while the
 * person scrolls: then the height is compared again once that has come to rest.
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
      // A scroll that is not needed would stay in flight for a frame, and move what is opened in that frame.
      if (virtualizer.getDistanceFromEnd() > 0) virtualizer.scrollToEnd()
    }
  }, [follows, heightPx, isScrolling])
}

/**
 * Keeps the tail in view when the list changes its size: a new width gives every row a new height, and
 * what appears below the list (the changes, a question) takes its last rows away.
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
      // A list that grows shows its tail by itself.
      const changed = rewrapped || size.current.height < before.height
      if (before.width === 0 || !changed || !wasAtEnd.current) return
      // The rows are measured after this, and those that come into view after that.
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

/** Asks once each time that few rows are left. */
export function usePaging(
  settled: boolean,
  rowsLeft: number,
  wanted: boolean,
  ask?: () => void,
): void {
  const near = settled && wanted && rowsLeft < rowsLeftMin
  const asking = useRef(ask)
  useEffect(() => {
    asking.current = ask
  })
  useEffect(() => {
    if (near) asking.current?.()
  }, [near])
}

/**
 * The list takes the focus of a row that scrolled out of the page, so that keys go on working. Who put
 * the focus elsewhere keeps it there.
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
    // React does not tell of a blur that comes from taking a row away.
    onBlur: () => {
      focused.current = null
    },
  }
}

/**
 * Moves the focus to a row, by its key: the row may have to be made first, and a page that comes meanwhile
 * gives it another index. Until it is there the next key counts from it, so that no press is lost.
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
    /** The index of the row that is not there yet, or null. */
    pendingIndex(): number | null {
      const index = wanted.current === null ? -1 : indexOf(wanted.current)
      return index < 0 ? null : index
    },
    /** The person goes elsewhere. */
    forget() {
      wanted.current = null
    },
  }
}

/**
 * Shows rows by their keys: a page that comes while the list is on its way there changes the index of
 * every row, and the row that was asked for is still the one that is shown.
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
    /** The person goes elsewhere. */
    forget() {
      asked.current = null
    },
  }
}
