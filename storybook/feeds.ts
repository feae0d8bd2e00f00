/** Listeners as async iterators, the way the contract's feeds give them. */
export interface Feed<Event> {
  publish(event: Event): void
  /** What `first` gives, then everything published after it, until the signal is aborted. */
  follow(first: () => Event[], signal: AbortSignal | undefined): AsyncGenerator<Event>
}

export function createFeed<Event>(): Feed<Event> {
  const readers = new Set<(event: Event) => void>()
  return {
    publish(event) {
      for (const reader of readers) reader(event)
    },
    async *follow(first, signal) {
      const waiting: Event[] = []
      let wake = () => {}
      const reader = (event: Event) => {
        waiting.push(event)
        wake()
      }
      readers.add(reader)
      signal?.addEventListener('abort', () => wake())
      try {
        yield* first()
        while (!signal?.aborted) {
          const next = waiting.shift()
          if (next !== undefined) yield next
          else
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      } finally {
        readers.delete(reader)
      }
    },
  }
}
