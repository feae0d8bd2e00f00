/** Records keys that are pressed before the window can handle them. */

export interface EarlyKeys {
  /** Returns the pressed keys, oldest first, and stops listening. */
  release(): KeyboardEvent[]
}

/** A user who keeps typing must not trigger a dozen commands. */
const keysHeldMax = 8

/**
 * Listens from the page's first script on. Keys with Ctrl or Cmd are left to the browser until the
 * window is ready.
 */
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
