/**
 * Focuses an element inside a diff, at once or after the diff renderer has drawn its lines, because an element without
 * a layout box can't take the focus. Returns a function that stops waiting.
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
