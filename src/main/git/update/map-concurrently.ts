/**
 * Items handled concurrently: each waits for the disk several times, so thousands of files one after
 * the other take long.
 */
const atOnce = 16

/**
 * Runs `work` for each of `items`, several concurrently; the results are in the order of the items.
 * After a failure no further item is started, and it is thrown once the running ones have ended.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [at, item] of left) {
      if (failures.length > 0) return
      try {
        results[at] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
