/**
 * How many agents of one tree work at the same time (T5). An agent that only awaits others gives its slot
 * back and takes one again before it goes on; those who go on come before those who begin, so that work
 * in hand is finished first.
 */
export interface Slots {
  /** Resolves with a slot in hand. Rejects with the signal's reason. */
  acquire(signal: AbortSignal, order?: 'begin' | 'go-on'): Promise<void>
  release(): void
}

export function createSlots(count: number): Slots {
  let free = count
  const waiting: { order: 'begin' | 'go-on'; take: () => void }[] = []

  return {
    acquire(signal, order = 'begin') {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const entry = { order, take: resolve }
        const firstBeginner = waiting.findIndex((one) => one.order === 'begin')
        const at = order === 'go-on' && firstBeginner >= 0 ? firstBeginner : waiting.length
        waiting.splice(at, 0, entry)
        const abort = () => {
          const place = waiting.indexOf(entry)
          if (place < 0) return
          waiting.splice(place, 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', abort, { once: true })
        entry.take = () => {
          signal.removeEventListener('abort', abort)
          resolve()
        }
      })
    },
    release() {
      const next = waiting.shift()
      if (next) next.take()
      else free++
    },
  }
}
