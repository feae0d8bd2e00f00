import { useEffect } from 'react'
import { focusablesIn } from './focusables.ts'

/** What belongs together: when all of it goes, nothing has come in its place. */
const parts = 'section, nav, aside, main'
const covering = '[role="dialog"], [role="menu"]'

/** An element that holds what has the focus, and which of those in it that is. */
interface Holder {
  element: Element
  index: number
}

/**
 * Moves the focus from a removed row or button to the one that takes its place, because the next Tab would otherwise
 * start at the top of the window.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let focused: Element | null = null
    let holders: Holder[] = []
    const remember = ({ target }: FocusEvent) => {
      // A dialog and a menu give it back themselves, where what opened them is still there.
      if (!(target instanceof Element) || target.closest(covering)) return
      focused = target
      holders = holdersOf(target)
    }
    let frame = 0
    const check = () => {
      const { activeElement, body } = document
      if (activeElement !== body || !focused || focused.isConnected) return
      if (document.querySelector(covering)) return
      const holder = holders.find(({ element }) => element.isConnected)
      if (!holder) return
      const next = focusablesIn(holder.element)
      next[Math.min(holder.index, next.length - 1)]?.focus()
    }
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
    }
  }, [])
}

/** The innermost first, up to the part of the window that it stands in. */
function holdersOf(target: Element): Holder[] {
  const holders: Holder[] = []
  for (let element = target.parentElement; element; element = element.parentElement) {
    if (element === document.body) break
    const index = focusablesIn(element).indexOf(target as HTMLElement)
    holders.push({ element, index: Math.max(0, index) })
    if (element.matches(parts)) break
  }
  return holders
}
