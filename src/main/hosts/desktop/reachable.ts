import type { Rectangle } from 'electron'

/** The part of a title bar that must be on a screen, so that the window can be dragged. */
const visibleSizeMin = 100

/** Whether the user can reach a window with these bounds: its title bar is along its top edge. */
export function isReachable(window: Rectangle, area: Rectangle): boolean {
  const width = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  const below = area.y + area.height - window.y
  return width >= visibleSizeMin && window.y >= area.y && below >= visibleSizeMin
}
