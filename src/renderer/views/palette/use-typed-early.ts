import { type Dispatch, type RefObject, type SetStateAction, useLayoutEffect } from 'react'

/**
 * A field that has just appeared gets the focus in the next frame. What is typed before that goes to the page and
 * is lost: it is added to the field's text instead.
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
    // Its text may be there before it has the focus: what is typed on stands behind that.
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
