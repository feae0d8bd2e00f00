/** The panes that F6 goes through, in the order of the page: sidebar, list or conversation, composer, inspector. */
const panes = [
  'nav[aria-label="Sidebar"] [tabindex="0"]',
  'main [role="tree"][tabindex="0"], main section[aria-label^="Transcript of"][tabindex="0"]',
  'main textarea',
  'aside[aria-label="Inspector"] [role="tab"][aria-selected="true"]',
]

/** Moves the focus to the next pane that is there, and from the last one to the first. */
export function focusNextPane(): void {
  const there = panes.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? [])
  const { activeElement } = document
  const current = there.findIndex((pane) => {
    const region = pane.closest('nav, aside') ?? pane
    return activeElement !== null && region.contains(activeElement)
  })
  there[(current + 1) % there.length]?.focus()
}
