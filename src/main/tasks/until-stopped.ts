/** Reads what an agent says in a run, for as long as the run lasts. */

/**
 * Yields what `source` yields. Once the signal is aborted, `source` has `graceMs` to end by itself; then this
 * rejects with the signal's reason, whatever `source` does, and asks it to return without waiting for that.
 */
export async function* untilStopped<Event>(
  source: AsyncIterable<Event>,
  signal: AbortSignal,
  graceMs: number,
): AsyncGenerator<Event, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  const stopped = Promise.withResolvers<never>()
  // It rejects also when nobody is waiting for the next event any more.
  stopped.promise.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => stopped.reject(signal.reason), graceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  let isOver = false
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped.promise])
      if (next.done) {
        isOver = true
        return
      }
      yield next.value
    }
  } catch (error) {
    isOver = error !== signal.reason
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // An agent that hangs would keep whoever waits for its return.
    if (!isOver) void iterator.return?.()?.then(undefined, () => undefined)
  }
}
