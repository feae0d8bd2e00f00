/** Moves of the view that a reader makes by a key or a button, or that a caller asks for. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import type { Row } from '../rows/row.ts'
import { useShownRow } from './list-place.ts'
import { isTyping, pressRowButton } from './row-buttons.ts'
import { useRowFocus } from './row-focus.ts'
import { type RowVirtualizer, targetIndex } from './row-virtualizer.ts'
import type { Tail } from './tail.ts'

/** See `goTo` of the transcript store. */
export interface Target {
  seq: number
  rowKey?: string | undefined
  focus: boolean
  pointOut: boolean
}

export function useListMoves(list: {
  rows: Row[]
  scroller: RefObject<HTMLDivElement | null>
  virtualizer: RowVirtualizer
  tail: Tail
  hasOlder: boolean
  hasNewer: boolean
  /** Loads entry `seq`, which then comes as a target. */
  onGoTo: ((seq: number) => void) | undefined
  onJumpToLatest: (() => void) | undefined
}) {
  const { rows, scroller, virtualizer, tail, hasOlder, hasNewer, onGoTo, onJumpToLatest } = list
  const shownRow = useShownRow(rows, virtualizer)
  const rowFocus = useRowFocus(scroller, rows)
  const forgetPlace = () => {
    tail.showsTarget.current = false
    shownRow.forget()
    rowFocus.forget()
  }
  const scrollToEnd = () => {
    forgetPlace()
    tail.returnToTail(true)
    virtualizer.scrollToEnd()
  }
  /** Whether the newest entries were requested and have not arrived. */
  const awaitsLatest = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when rows have come
  useLayoutEffect(() => {
    if (!awaitsLatest.current || hasNewer) return
    awaitsLatest.current = false
    scrollToEnd()
  }, [rows, hasNewer])
  return {
    forgetPlace,
    scrollToEnd,
    jumpToLatest() {
      // The button disappears, and keys would have no target.
      scroller.current?.focus({ preventScroll: true })
      if (!hasNewer || !onJumpToLatest) return scrollToEnd()
      awaitsLatest.current = true
      onJumpToLatest()
    },
    goToTop() {
      // The scroll event may come together with the one of the list's own opening.
      tail.scrollAway()
      if (hasOlder && onGoTo) onGoTo(1)
      // Not the element's own `scrollTo`, which a scroll to the end that is in progress would take back.
      else virtualizer.scrollToOffset(0)
    },
    /** The reader moves the scroll bar. */
    grab() {
      forgetPlace()
      tail.leave()
    },
    /** Shows the row of an entry, which it returns; undefined if the entry has none. */
    showTarget(target: Target): Row | undefined {
      const index = targetIndex(rows, target)
      const row = rows[index]
      if (!row) return undefined
      forgetPlace()
      tail.leave()
      tail.showsTarget.current = true
      shownRow.show(index, 'start')
      if (index === 0 && !hasOlder) virtualizer.scrollToOffset(0)
      if (target.focus) {
        // The row may not be rendered yet, and it takes the focus only from the list.
        scroller.current?.focus({ preventScroll: true })
        rowFocus.move(row.key)
      }
      return row
    },
    /** Moves the focus to a row, and scrolls no further than it takes to show all of it. */
    focusRow(index: number) {
      const place = virtualizer.measurementsCache[index]
      const row = rows[index]
      if (!place || !row) return
      const { scrollOffset, scrollRect } = virtualizer
      const top = scrollOffset ?? 0
      const height = scrollRect?.height ?? 0
      if (place.start < top || place.size > height) shownRow.show(index, 'start')
      else if (place.end > top + height) shownRow.show(index, 'end')
      rowFocus.move(row.key)
    },
    /** The index of a row that takes the focus once it is rendered, or null. */
    pendingIndex: rowFocus.pendingIndex,
  }
}

/** The keys of the list: j and k from row to row, Home and End, and those of the buttons of a row. */
export function listKeys(
  moves: ReturnType<typeof useListMoves>,
  inView: { startIndex: number; endIndex: number },
  rowCount: number,
) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const focused = event.target as HTMLElement
    const row = focused.closest<HTMLElement>('[data-index]')
    const index = moves.pendingIndex() ?? (row ? Number(row.dataset.index) : null)
    moves.forgetPlace()
    switch (event.key) {
      case 'j':
        moves.focusRow(index === null ? inView.startIndex : Math.min(index + 1, rowCount - 1))
        break
      case 'k':
        moves.focusRow(index === null ? inView.endIndex : Math.max(index - 1, 0))
        break
      case 'End':
        moves.jumpToLatest()
        break
      case 'Home':
        moves.goToTop()
        break
      default:
        if (!pressRowButton(event.key, focused, row)) return
    }
    event.preventDefault()
  }
}
