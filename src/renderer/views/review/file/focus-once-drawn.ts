/**
 * Focuses an element inside a diff, at once or when the diff renderer has drawn the lines: until then it has no place
 * and can't take the focus. Returns the function that stops waiting.
 */
export function focusOnceDrawn(element: HTMLElement, isStillWanted: () => boolean): () => void {
  element.focus({ preventScroll: true })
  if (document.activeElement === element) return () => undefined
  const drawn = new ResizeObserver(() => {
    if (element.offsetHeight === 0) return
    drawn.disconnect()
    if (isStillWanted()) element.focus({ preventScroll: true })
  })
  drawn.observe(element)
  return () => drawn.disconnect()
}
