/** Runs several async generators concurrently and yields their values in the order of arrival. */

/**
 * `start` is called whenever another generator may start, and returns it; 'wait' if it must not start before a running
 * one has ended, null if none is left. If a generator throws or the caller stops, the others are ended first.
 */
export async function* inParallel<T>(
  start: () => AsyncGenerator<T> | 'wait' | null,
): AsyncGenerator<T> {
  type Step = { of: AsyncGenerator<T>; result: IteratorResult<T> }
  const steps = new Map<AsyncGenerator<T>, Promise<Step>>()
  const next = (of: AsyncGenerator<T>) => {
    const step = of.next().then((result) => ({ of, result }))
    // Several may fail, and only the first failure is awaited.
    step.catch(() => {})
    steps.set(of, step)
  }
  try {
    for (;;) {
      for (let begun = start(); begun !== null && begun !== 'wait'; begun = start()) next(begun)
      if (steps.size === 0) return
      const { of, result } = await Promise.race(steps.values())
      // Reinserted last, so that a generator that always has a value does not starve the others.
      steps.delete(of)
      if (result.done) continue
      next(of)
      yield result.value
    }
  } finally {
    await Promise.allSettled([...steps.keys()].map((one) => one.return(undefined)))
  }
}
