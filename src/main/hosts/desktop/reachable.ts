import type { Rectangle } from 'electron'

/** Enough of a window on a screen to take hold of it by its title bar. */
const visibleSizeMin = 100

/** Whether a person can get at a window that lies there: its title bar is along its top edge. */
export function isReachable(window: Rectangle, area: Rectangle): boolean {
  const width = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  const below = area.y + area.height - window.y
  return width >= visibleSizeMin && window.y >= area.y && below >= visibleSizeMin
}
