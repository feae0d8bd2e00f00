import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** Input of the user that may scroll the list. A scroll without it is the list's own. */
const inputs = ['wheel', 'touchmove', 'keydown'] as const

/**
 * Calls `onChange` when the list is scrolled or changes its size, `onScroll` only when it is scrolled, and `onInput` when
 * the user may be about to scroll it.
 */
export function useScrolls(
  scroller: RefObject<HTMLElement | null>,
  handlers: { onChange(): void; onInput(): void; onScroll(): void },
): void {
  const latest = useRef(handlers)
  useLayoutEffect(() => {
    latest.current = handlers
  })
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const onInput = () => latest.current.onInput()
    const onScroll = () => {
      latest.current.onChange()
      latest.current.onScroll()
    }
    const observer = new ResizeObserver(() => latest.current.onChange())
    observer.observe(box)
    box.addEventListener('scroll', onScroll, { passive: true })
    for (const input of inputs) box.addEventListener(input, onInput, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', onScroll)
      for (const input of inputs) box.removeEventListener(input, onInput)
    }
  }, [scroller])
}
