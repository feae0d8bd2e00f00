/** First the snapshot, then every event after it; ends when `signal` is aborted. */
export async function* following<Event>(
  listeners: Set<(event: Event) => void>,
  signal: AbortSignal | undefined,
  snapshot: () => Event,
): AsyncGenerator<Event> {
  const waiting: Event[] = []
  let wake = (): void => {}
  const listener = (event: Event): void => {
    waiting.push(event)
    wake()
  }
  const onAbort = (): void => wake()
  listeners.add(listener)
  signal?.addEventListener('abort', onAbort)
  try {
    yield snapshot()
    while (!signal?.aborted) {
      const event = waiting.shift()
      if (event !== undefined) yield event
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    listeners.delete(listener)
    signal?.removeEventListener('abort', onAbort)
  }
}
