/** A queue of an agent's messages with a single reader. */
export interface Feed<Item> {
  push(item: Item): void
  /** Resolves once there is an item, or `wake` was called. */
  wait(): Promise<void>
  take(): Item | undefined
  wake(): void
  /** Resolves once fewer than `itemsMax` items wait. */
  hasRoom(): Promise<void>
}

/** A few seconds of a fast model; more waits in the pipe of the process. */
const itemsMaxDefault = 500

export function createFeed<Item>(itemsMax = itemsMaxDefault): Feed<Item> {
  const items: Item[] = []
  let changed = Promise.withResolvers<void>()
  let drained: PromiseWithResolvers<void> | null = null
  const wake = () => changed.resolve()
  return {
    push(item) {
      items.push(item)
      wake()
    },
    async wait() {
      if (items.length > 0) return
      await changed.promise
      changed = Promise.withResolvers()
    },
    take() {
      const item = items.shift()
      if (drained && items.length < itemsMax) {
        drained.resolve()
        drained = null
      }
      return item
    },
    wake,
    async hasRoom() {
      if (items.length < itemsMax) return
      drained ??= Promise.withResolvers()
      await drained.promise
    },
  }
}
