import { focusablesIn } from './focusables.ts'

/** Where the focus goes in a pane, and what belongs to it. */
interface Pane {
  target: HTMLElement
  region: Element
}

/** The panes on screen, in the order of the page: sidebar, list or conversation, composer, inspector. */
function panesThere(): Pane[] {
  const composer = document.querySelector<HTMLElement>('main textarea')
  const tab = document.querySelector<HTMLElement>(
    'aside[aria-label="Inspector"] [role="tab"][aria-selected="true"]',
  )
  const inspector = tab?.closest('aside')
  return [
    ...sidebarPane(),
    ...mainPane(),
    ...(composer ? [{ target: composer, region: composer }] : []),
    ...(tab && inspector ? [{ target: tab, region: inspector }] : []),
  ]
}

/** Its tree where there is one, else its first button: folded to icons it has no tree. */
function sidebarPane(): Pane[] {
  const region = document.querySelector('nav[aria-label="Sidebar"]')
  if (!region) return []
  const row = region.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')
  const target = row ?? focusablesIn(region)[0]
  return target ? [{ target, region }] : []
}

/** A list or a conversation; on a screen without one its first control, whatever that is. */
function mainPane(): Pane[] {
  const list = document.querySelector<HTMLElement>(
    'main [role="tree"][tabindex="0"], main section[aria-label^="Transcript of"][tabindex="0"]',
  )
  if (list) return [{ target: list, region: list }]
  const region = document.querySelector('main')
  const target = region && focusablesIn(region).find((one) => !one.closest(besideTheScreen))
  return target ? [{ target, region }] : []
}

/** In the main part of the window, and no part of the screen. */
const besideTheScreen = '[role="separator"], [role="status"], [role="alert"]'

/** Moves the focus to the next pane that is there, and from the last one to the first. */
export function focusNextPane(): void {
  const there = panesThere()
  const { activeElement } = document
  // A prompt and an inspector lie within the screen.
  const current = there.findLastIndex(({ region }) => region.contains(activeElement))
  there[(current + 1) % there.length]?.target.focus()
}

/** Moves the focus to the screen, where nothing else has it. */
export function focusScreen(): void {
  if (document.activeElement === document.body) mainPane()[0]?.target.focus()
}
