/** The pending events of a feed: filled by listeners, drained by its single generator. */
interface FeedQueue<T> {
  /** Appends an event. `merge` may combine it with the last pending event; null: append. */
  put(item: T, merge?: (last: T) => T | null): void
  /** Resolves when an event is pending or the signal is aborted. */
  wait(): Promise<void>
  take(max: number): T[]
  clear(): void
  readonly size: number
}

export function createFeedQueue<T>(signal: AbortSignal | undefined): FeedQueue<T> {
  let items: T[] = []
  let wake: (() => void) | null = null
  signal?.addEventListener('abort', () => wake?.(), { once: true })

  return {
    put(item, merge) {
      const last = items.at(-1)
      const merged = merge && last !== undefined ? merge(last) : null
      if (merged !== null) items[items.length - 1] = merged
      else items.push(item)
      wake?.()
    },
    async wait() {
      // Checked before listening: an earlier abort fires no event.
      if (items.length > 0 || signal?.aborted) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      wake = null
    },
    take: (max) => items.splice(0, max),
    clear() {
      items = []
    },
    get size() {
      return items.length
    },
  }
}
