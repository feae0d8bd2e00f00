import { useEffect, useRef } from 'react'
import { useOverlay, useRoute } from '../../store/hooks.ts'
import { focusScreen } from './panes.ts'

/**
 * A closing dialog returns the focus to the element that opened it. If that is gone, `recover` moves it to what takes its
 * place. If a key opened it and nothing had the focus, the screen gets it, because the next Tab would otherwise start at
 * the top of the window.
 */
export function useFocusAfterDialog(recover: () => void): void {
  const overlay = useOverlay()
  const route = useRoute()
  const isOpen = overlay.kind !== 'none' || (route.screen === 'task' && route.transcriptOf !== null)
  const wasOpen = useRef(false)
  useEffect(() => {
    const closed = wasOpen.current && !isOpen
    wasOpen.current = isOpen
    if (!closed) return
    // After the dialog has returned the focus.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        recover()
        focusScreen()
      })
    })
    return () => cancelAnimationFrame(frame)
  }, [isOpen, recover])
}
