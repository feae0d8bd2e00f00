import { type RefObject, useState } from 'react'

/**
 * Returns the `finalFocus` of a dialog: what had the focus when the dialog opened gets it back.
 *
 * Not if that was removed since, such as the button of a row which the dialog's action ends: any element that had the
 * focus before would get it, but the window knows the next row. Items of menus and of other dialogs are always removed,
 * and their opener gets the focus.
 */
export function useFinalFocus(popup: RefObject<HTMLElement | null>): () => boolean {
  const [opener] = useState(() => document.activeElement)
  const [isInPopup] = useState(() => opener?.closest('[role="menu"], [role="dialog"]') != null)
  return () => {
    if (!(opener instanceof HTMLElement) || opener === document.body) return true
    if (!opener.isConnected) return isInPopup
    if (opener.tabIndex >= 0) return true
    // A row of a list is no tab stop, and the first button in it would get the focus instead.
    queueMicrotask(() => {
      if (!popup.current) opener.focus({ preventScroll: true })
    })
    return false
  }
}
