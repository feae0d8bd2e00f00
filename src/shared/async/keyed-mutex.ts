/**
 * Serializes calls with the same key, such as the updates of one index. `work` starts once all earlier calls with its key
 * have succeeded or failed.
 */
export interface KeyedMutex {
  <T>(key: string, work: () => Promise<T>): Promise<T>
  /** Resolves when no call is running. */
  settled(): Promise<void>
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>()

  async function serially<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }

  async function settled(): Promise<void> {
    while (tails.size > 0) await Promise.allSettled(tails.values())
  }

  return Object.assign(serially, { settled })
}
