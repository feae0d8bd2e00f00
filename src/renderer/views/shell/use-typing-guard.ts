import { useEffect } from 'react'
import { textFields } from './use-keys.ts'

/** In it, somebody who types notices that the field is gone. */
const noticeMs = 3_000
/** Longer than between two keys of somebody who types. */
const pauseMs = 1_000

/** Keys with which a user leaves a field: what follows is not meant for it. */
const leaving = new Set(['Enter', 'Escape', 'Tab'])

/**
 * Drops the keys of a user who still types in a field that is gone, such as the reason for an answer that was given
 * elsewhere: they would run commands, or press the button that got the focus. Use it once, in the shell.
 */
export function useTypingGuard(): void {
  useEffect(() => {
    /** The field that has the focus, and is not being left by the user. */
    let field: Element | null = null
    let droppedUntilMs = 0
    const onFocusIn = ({ target }: FocusEvent): void => {
      // The focus may move on before the removed field is noticed.
      noticeGone()
      field = target instanceof Element && target.matches(textFields) ? target : null
    }
    const onLeave = (): void => {
      field = null
    }
    const noticeGone = (): void => {
      if (field === null || field.isConnected) return
      field = null
      droppedUntilMs = performance.now() + noticeMs
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      noticeGone()
      const { target, key, ctrlKey, metaKey } = event
      if (target instanceof Element && target.matches(textFields)) {
        field = leaving.has(key) ? null : target
        return
      }
      const nowMs = performance.now()
      if (nowMs >= droppedUntilMs || ctrlKey || metaKey) return
      droppedUntilMs = nowMs + pauseMs
      event.preventDefault()
      event.stopPropagation()
    }
    const observer = new MutationObserver(noticeGone)
    observer.observe(document.body, { childList: true, subtree: true })
    const options = { capture: true }
    window.addEventListener('focusin', onFocusIn, options)
    window.addEventListener('pointerdown', onLeave, options)
    window.addEventListener('keydown', onKeyDown, options)
    return () => {
      observer.disconnect()
      window.removeEventListener('focusin', onFocusIn, options)
      window.removeEventListener('pointerdown', onLeave, options)
      window.removeEventListener('keydown', onKeyDown, options)
    }
  }, [])
}
