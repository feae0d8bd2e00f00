/** What may be given the focus, in the order of the page. Not a text field: keys would be typed into it. */
const focusable =
  'a[href], button:not(:disabled, [tabindex="-1"]), [tabindex="0"]:not(input, textarea)'

/** Only visible ones: the buttons of a row may be hidden until it has the focus. */
export const focusablesIn = (element: Element): HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(focusable)].filter((one) => one.checkVisibility())
