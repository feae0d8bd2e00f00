/** Where a list opens, which rows it moves to, and when it requests more. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Row } from '../rows/row.ts'

/**
 * The next page is requested when this few rows are left before the first or after the last visible
 * one: about three screens, so that readers seldom reach the edge.
 */
const rowsLeftMin = 60

interface Scrolled {
  scrollToEnd(): void
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

/**
 * Delay after a jump: of many jumps in a row only the last one needs its neighbouring page. Longer than between two jumps
 * of a dragged replay (store/replay/follow-moments.ts).
 */
const pageAfterJumpMs = 500

/** Requests a page once each time that few rows are left. `jumped`: the list shows an entry that was requested. */
export function usePaging(
  wanted: boolean,
  rowsLeft: number,
  jumped: { current: boolean },
  request?: () => void,
): void {
  const near = wanted && rowsLeft < rowsLeftMin
  const latestRequest = useRef(request)
  useEffect(() => {
    latestRequest.current = request
  })
  useEffect(() => {
    if (!near) return
    const timer = setTimeout(() => latestRequest.current?.(), jumped.current ? pageAfterJumpMs : 0)
    return () => clearTimeout(timer)
  }, [near, jumped])
}

/**
 * Scrolls to rows by their keys, so that the requested row stays in view when a new page changes the
 * index of every row.
 */
export function useShownRow(rows: Row[], virtualizer: Scrolled) {
  const requested = useRef<{ key: string; align: 'start' | 'end' } | null>(null)
  const firstKey = useRef(rows[0]?.key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer stays the same
  useLayoutEffect(() => {
    if (firstKey.current === rows[0]?.key) return
    firstKey.current = rows[0]?.key
    if (!requested.current) return
    const { key, align } = requested.current
    const index = rows.findIndex((row) => row.key === key)
    if (index >= 0) virtualizer.scrollToIndex(index, { align })
  }, [rows])
  return {
    show(index: number, align: 'start' | 'end') {
      const row = rows[index]
      requested.current = row ? { key: row.key, align } : null
      virtualizer.scrollToIndex(index, { align })
    },
    /** Called when the user moves elsewhere. */
    forget() {
      requested.current = null
    },
  }
}

/** How long a row is highlighted after a jump to it; it stays marked until the next jump. */
const highlightMs = 1600

/** The row that was jumped to last. */
interface HighlightedRow {
  key: string
  /** A moment ago. */
  isNew: boolean
}

export function useHighlight(): [HighlightedRow | null, (key: string) => void] {
  const [row, setRow] = useState<HighlightedRow | null>(null)
  useEffect(() => {
    if (!row?.isNew) return
    const timer = setTimeout(() => setRow({ ...row, isNew: false }), highlightMs)
    return () => clearTimeout(timer)
  }, [row])
  return [row, (key) => setRow({ key, isNew: true })]
}
