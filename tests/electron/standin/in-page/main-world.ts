/**
 * Runs in the page's own world before its scripts: puts there what the preload exposes through
 * `contextBridge`. The two worlds share the DOM, and so events with a name that the page can't know. What passes
 * from one world to the other is copied.
 *
 * Self-contained, for its source text is what runs.
 */
export function mainWorld(exposeEvent: string): void {
  if (window !== window.top) return

  const call = (calls: number, args: unknown[]): unknown => {
    let returned: unknown
    const listener = (event: Event) => {
      returned = (event as CustomEvent).detail
    }
    window.addEventListener(`${exposeEvent}-return`, listener, { once: true })
    window.dispatchEvent(new CustomEvent(`${exposeEvent}-call`, { detail: { calls, args } }))
    return returned
  }
  const frozen = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const { calls } = value as { calls?: number }
    if (calls !== undefined) return Object.freeze((...args: unknown[]) => call(calls, args))
    return Object.freeze(
      Object.fromEntries(Object.entries(value).map(([name, field]) => [name, frozen(field)])),
    )
  }
  window.addEventListener(exposeEvent, (event) => {
    const { key, json } = JSON.parse((event as CustomEvent<string>).detail)
    Object.defineProperty(window, key, { value: frozen(json), enumerable: true })
  })
}
