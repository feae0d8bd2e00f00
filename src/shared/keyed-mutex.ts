/**
 * Runs what concerns one key one after the other: the updates of one index, the removal of a workspace and
 * the use of its patch. `work` begins once all earlier calls with its key have ended, well or not.
 */
export interface KeyedMutex {
  <T>(key: string, work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is under way. */
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
