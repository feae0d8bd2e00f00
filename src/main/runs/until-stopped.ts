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
  let isTimeOver = false
  /** Of the event that is being waited for. One promise for all would keep every event until the run ends. */
  let rejectNext: (reason: unknown) => void = () => undefined
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => {
      isTimeOver = true
      rejectNext(signal.reason)
    }, graceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const next = () =>
    new Promise<IteratorResult<Event>>((resolve, reject) => {
      if (isTimeOver) return reject(signal.reason)
      rejectNext = reject
      iterator.next().then(resolve, reject)
    })
  let isOver = false
  try {
    for (;;) {
      const event = await next()
      isOver = event.done === true
      if (event.done) return
      yield event.value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Not awaited: the return of an agent that hangs never settles.
    if (!isOver) void iterator.return?.()?.then(undefined, () => undefined)
  }
}
