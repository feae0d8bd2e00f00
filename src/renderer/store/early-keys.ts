/** Keys that were pressed before the window could use them: they are used as soon as it can. */

export interface EarlyKeys {
  /** Gives what was pressed, oldest first, and ends the listening. */
  release(): KeyboardEvent[]
}

/** Somebody who types on without looking must not find a dozen commands carried out. */
const keysHeldMax = 8

/** Listens from the page's first script on. Keys with Ctrl or Cmd are the browser's until the window is there. */
export function holdEarlyKeys(
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>,
): EarlyKeys {
  const held: KeyboardEvent[] = []
  const hold = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.isComposing || event.repeat) return
    if (held.length < keysHeldMax) held.push(event)
  }
  window.addEventListener('keydown', hold)
  return {
    release() {
      window.removeEventListener('keydown', hold)
      return held.splice(0)
    },
  }
}
