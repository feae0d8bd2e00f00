import { useCallback, useEffect, useRef } from 'react'
import { focusablesIn } from './focusables.ts'
import { focusScreen, mainList } from './panes.ts'

/** The regions of the window: from a removed region the focus only moves to the list of the screen. */
const regions = 'section, nav, aside, main'
const covering = '[role="dialog"], [role="menu"]'

/** An ancestor of the focused element, and that element's index among the focusable ones in it. */
interface FocusAncestor {
  element: Element
  index: number
}

/**
 * Moves the focus from a removed row or button to the one that takes its place, and from a removed screen to the list of
 * the next one, because the next Tab would otherwise start at the top of the window. Returns a function that does so at
 * once, if it is to be done.
 */
export function useFocusRecovery(): () => void {
  const recover = useRef(() => {})
  useEffect(() => {
    let focused: Element | null = null
    let ancestors: FocusAncestor[] = []
    const remember = ({ target }: FocusEvent) => {
      // Dialogs and menus return the focus themselves.
      if (!(target instanceof Element) || target.closest(covering)) return
      focused = target
      ancestors = ancestorsOf(target)
    }
    let frame = 0
    const check = () => {
      const { activeElement, body } = document
      if (activeElement !== body || !focused || focused.isConnected) return
      if (document.querySelector(covering)) return
      const ancestor = ancestors.find(({ element }) => element.isConnected)
      if (!ancestor) {
        const list = mainList()
        return list ? list.focus() : focusScreen()
      }
      const next = focusablesIn(ancestor.element)
      next[Math.min(ancestor.index, next.length - 1)]?.focus()
    }
    recover.current = check
    const observer = new MutationObserver(() => {
      if (focused?.isConnected !== false) return
      cancelAnimationFrame(frame)
      // After other handlers that move the focus.
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(check)
      })
    })
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', remember)
      cancelAnimationFrame(frame)
      recover.current = () => {}
    }
  }, [])
  return useCallback(() => recover.current(), [])
}

/** The innermost first, up to the region. */
function ancestorsOf(target: Element): FocusAncestor[] {
  const ancestors: FocusAncestor[] = []
  for (let element = target.parentElement; element; element = element.parentElement) {
    if (element === document.body) break
    const index = focusablesIn(element).indexOf(target as HTMLElement)
    ancestors.push({ element, index: Math.max(0, index) })
    if (element.matches(regions)) break
  }
  return ancestors
}
