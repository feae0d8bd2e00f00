import { focusablesIn } from './focusables.ts'

/** A pane of the window: the element that gets its focus, and the region that belongs to it. */
interface Pane {
  target: HTMLElement
  region: Element
}

/** The panes on screen, in the order of the page: sidebar, list or conversation, composer, inspector. */
function visiblePanes(): Pane[] {
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

/** The current row of the tree, else the first button: a sidebar that is folded to icons has no tree. */
function sidebarPane(): Pane[] {
  const region = document.querySelector('nav[aria-label="Sidebar"]')
  if (!region) return []
  const row = region.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')
  const target = row ?? focusablesIn(region)[0]
  return target ? [{ target, region }] : []
}

/** The list or the conversation of a screen; null if it has none, or has not loaded it. */
export const mainList = (): HTMLElement | null =>
  document.querySelector<HTMLElement>(
    'main [role="tree"][tabindex="0"], main section[aria-label^="Transcript of"][tabindex="0"], main nav[aria-label="Files"] [aria-current]',
  )

/** A list or a conversation; on a screen without one, its first control. */
function mainPane(): Pane[] {
  const list = mainList()
  if (list) return [{ target: list, region: list }]
  const region = document.querySelector('main')
  const target = region && focusablesIn(region).find((one) => !one.closest(outsideTheScreen))
  return target ? [{ target, region }] : []
}

/** Elements of `main` that do not belong to the screen. */
const outsideTheScreen = '[role="separator"], [role="status"], [role="alert"]'

/** Moves the focus to the next visible pane, and from the last one to the first. */
export function focusNextPane(): void {
  const panes = visiblePanes()
  const { activeElement } = document
  // The prompt and the inspector are inside the screen, so the last match is the innermost.
  const current = panes.findLastIndex(({ region }) => region.contains(activeElement))
  panes[(current + 1) % panes.length]?.target.focus()
}

/** Moves the focus to the screen if nothing has it. */
export function focusScreen(): void {
  if (document.activeElement === document.body) mainPane()[0]?.target.focus()
}
