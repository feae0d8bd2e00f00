/**
 * Runs in the page's own world before its scripts: puts there what the preload exposes through
 * `contextBridge`. The two worlds share the DOM, and so one event with a name that the page can't know.
 * Data only: functions would have to be called across worlds, and Shiplog exposes none.
 *
 * Self-contained, for its source text is what runs.
 */
export function mainWorld(exposeEvent: string): void {
  if (window !== window.top) return

  const frozen = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    for (const field of Object.values(value)) frozen(field)
    return Object.freeze(value)
  }
  window.addEventListener(exposeEvent, (event) => {
    const { key, json } = JSON.parse((event as CustomEvent<string>).detail)
    Object.defineProperty(window, key, { value: frozen(json), enumerable: true })
  })
}
