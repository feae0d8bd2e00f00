/** Yields the events of a feed until `signal` is aborted, without waiting for the feed. Ends without an error then. */
export async function* eventsUntilAborted<Event>(
  feed: AsyncIterator<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event, void> {
  const aborted = Promise.withResolvers<'aborted'>()
  const onAbort = () => aborted.resolve('aborted')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      const next = feed.next()
      const result = await Promise.race([next, aborted.promise])
      if (result === 'aborted') {
        next.catch(() => {}) // it may reject once the feed is closed below
        return
      }
      if (result.done) return
      yield result.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    void Promise.resolve(feed.return?.()).catch(() => {})
  }
}
