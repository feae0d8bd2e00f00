import { type Dispatch, type RefObject, type SetStateAction, useLayoutEffect } from 'react'

/**
 * Adds keys typed before the field has the focus to its text. A new field gets the focus in the next frame, and keys
 * that reach the page before that would be lost.
 */
export function useTypedEarly(
  field: RefObject<HTMLInputElement | null>,
  onText: Dispatch<SetStateAction<string>>,
): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.target instanceof Node && field.current?.contains(event.target)) return
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.key === 'Backspace') onText((text) => text.slice(0, -1))
      else if (event.key.length === 1) onText((text) => text + event.key)
      else return
      event.preventDefault()
    }
    // Text may have been added before the focus arrived: the caret goes behind it.
    const onFocusIn = ({ target }: FocusEvent): void => {
      if (target !== field.current || !field.current) return
      window.removeEventListener('keydown', onKeyDown, true)
      const { length } = field.current.value
      field.current.setSelectionRange(length, length)
    }
    window.addEventListener('keydown', onKeyDown, true)
    window.addEventListener('focusin', onFocusIn)
    return () => {
      window.removeEventListener('keydown', onKeyDown, true)
      window.removeEventListener('focusin', onFocusIn)
    }
  }, [field, onText])
}
