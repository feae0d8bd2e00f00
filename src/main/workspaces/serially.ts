/** Runs what concerns one key one after the other: the removal of a workspace and the use of its patch. */
export type Serially = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createSerially(): Serially {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
