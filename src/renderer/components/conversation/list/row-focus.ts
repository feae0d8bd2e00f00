/** The focus of a list whose rows come and go while it is scrolled. */
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import type { Row } from '../rows/row.ts'

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
