import { type RefCallback, useCallback } from 'react'

/** Returns the ref of an element at the bottom of the window that toasts must not cover. */
export function useToastsAbove(): RefCallback<HTMLElement> {
  return useCallback((element: HTMLElement | null) => {
    if (!element) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() =>
      style.setProperty('--toasts-above', `${element.offsetHeight}px`),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--toasts-above')
    }
  }, [])
}
