/** Elements that may be given the focus. Text fields are excluded, because keys would be typed into them. */
const focusable =
  'a[href], button:not(:disabled, [tabindex="-1"]), [tabindex="0"]:not(input, textarea)'

/** The visible focusable elements, in the order of the page. Buttons of a row may be hidden until it has the focus. */
export const focusablesIn = (element: Element): HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(focusable)].filter((one) => one.checkVisibility())
