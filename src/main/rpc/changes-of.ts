/** Yields a value now and after each change. Changes while the consumer is busy are coalesced into one event. */
export async function* changesOf<Value>(
  read: () => Value,
  subscribe: (listener: () => void) => () => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value> {
  let changed = Promise.withResolvers<void>()
  const wake = () => changed.resolve()
  const unsubscribe = subscribe(wake)
  signal?.addEventListener('abort', wake, { once: true })
  try {
    while (!signal?.aborted) {
      changed = Promise.withResolvers()
      yield read()
      if (!signal?.aborted) await changed.promise
    }
  } finally {
    unsubscribe()
    signal?.removeEventListener('abort', wake)
  }
}
