/** A queue between listeners, which add items, and one reader, which waits for them. */
export interface FeedQueue<Item> {
  /** Appends an item. `merge` may combine it with the last waiting item; null appends it. */
  put(item: Item, merge?: (last: Item) => Item | null): void
  /**
   * Resolves once an item waits, `wake` was called or the signal is aborted. It may also resolve earlier, so the reader
   * checks again.
   */
  wait(): Promise<void>
  take(): Item | undefined
  /** Takes at most `max` items, the oldest first. */
  takeUpTo(max: number): Item[]
  clear(): void
  wake(): void
  /** Resolves once fewer than `roomMax` items wait, so that a fast writer can be paused. */
  hasRoom(): Promise<void>
  readonly size: number
}

export function createFeedQueue<Item>({
  signal,
  roomMax = Number.POSITIVE_INFINITY,
}: {
  signal?: AbortSignal | undefined
  roomMax?: number
} = {}): FeedQueue<Item> {
  let items: Item[] = []
  let changed = Promise.withResolvers<void>()
  let drained: PromiseWithResolvers<void> | null = null
  const wake = () => changed.resolve()
  signal?.addEventListener('abort', wake, { once: true })
  // An earlier abort fires no event.
  if (signal?.aborted) wake()

  function reportRoom(): void {
    if (items.length >= roomMax) return
    drained?.resolve()
    drained = null
  }

  return {
    put(item, merge) {
      const last = items.at(-1)
      const merged = merge && last !== undefined ? merge(last) : null
      if (merged !== null) items[items.length - 1] = merged
      else items.push(item)
      wake()
    },
    async wait() {
      if (items.length > 0) return
      await changed.promise
      changed = Promise.withResolvers()
    },
    take() {
      const item = items.shift()
      reportRoom()
      return item
    },
    takeUpTo(max) {
      const taken = items.splice(0, max)
      reportRoom()
      return taken
    },
    clear() {
      items = []
      reportRoom()
    },
    wake,
    async hasRoom() {
      if (items.length < roomMax) return
      drained ??= Promise.withResolvers()
      await drained.promise
    },
    get size() {
      return items.length
    },
  }
}
