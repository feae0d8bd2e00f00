interface Frame {
  /** An element inside the scroller. */
  content: HTMLElement | null
  /** The header that sticks to the top of the scroller. */
  heading: HTMLElement | null
}

/** Scrolls the element to `marginPx` below the header. `scrollIntoView` would scroll the window as well. */
export function scrollToTop(element: Element, frame: Frame, marginPx: number): void {
  const { top } = element.getBoundingClientRect()
  scrollerOf(frame.content)?.scrollBy({ top: top - headingEnd(frame) - marginPx })
}

/** Scrolls just far enough to show the element with `marginPx` above and below it. */
export function scrollToNearest(element: Element, frame: Frame, marginPx: number): void {
  const scroller = scrollerOf(frame.content)
  if (!scroller) return
  const { top, bottom } = element.getBoundingClientRect()
  const above = top - marginPx - headingEnd(frame)
  const below = bottom + marginPx - scroller.getBoundingClientRect().bottom
  if (above < 0) scroller.scrollBy({ top: above })
  else if (below > 0) scroller.scrollBy({ top: below })
}

const headingEnd = ({ heading }: Frame): number => heading?.getBoundingClientRect().bottom ?? 0

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  for (let at = element; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return null
}
