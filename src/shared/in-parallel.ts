/** Runs several async generators at once and passes on what they yield, in the order in which it comes. */

/**
 * `start` begins the next one: 'wait' if that must not begin before one of those that run has ended, null if there is none
 * left. It is asked whenever one may begin. When one throws, or the caller stops, the others are ended first.
 */
export async function* inParallel<T>(
  start: () => AsyncGenerator<T> | 'wait' | null,
): AsyncGenerator<T> {
  type Step = { of: AsyncGenerator<T>; result: IteratorResult<T> }
  const steps = new Map<AsyncGenerator<T>, Promise<Step>>()
  const next = (of: AsyncGenerator<T>) => {
    const step = of.next().then((result) => ({ of, result }))
    // Several may fail, and only the first is waited for.
    step.catch(() => {})
    steps.set(of, step)
  }
  try {
    for (;;) {
      for (let begun = start(); begun !== null && begun !== 'wait'; begun = start()) next(begun)
      if (steps.size === 0) return
      const { of, result } = await Promise.race(steps.values())
      // Put back as the last one, so that one that always has something does not keep the others waiting.
      steps.delete(of)
      if (result.done) continue
      next(of)
      yield result.value
    }
  } finally {
    await Promise.allSettled([...steps.keys()].map((one) => one.return(undefined)))
  }
}
