/**
 * One clock that every relative time and running duration reads: a single timer however many are
 * shown, none when none is. Stories and tests pass a clock that stands still.
 */
import { createContext, useContext, useSyncExternalStore } from 'react'

interface Clock {
  /** Milliseconds since the epoch, as of the last tick. */
  now(): number
  /** Gives back the function that ends it. */
  subscribe(listener: () => void): () => void
}

/** Times are shown to the second. */
const tickMs = 1000

function createClock(): Clock {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | null = null
  let now = Date.now()
  const tick = () => {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    now: () => {
      // While nobody listens nobody ticks either, and the first to ask must not see an old moment.
      if (timer === null) now = Math.floor(Date.now() / tickMs) * tickMs
      return now
    },
    subscribe(listener) {
      listeners.add(listener)
      timer ??= setInterval(tick, tickMs)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && timer !== null) {
          clearInterval(timer)
          timer = null
        }
      }
    },
  }
}

export const stoppedClock = (nowMs: number): Clock => ({
  now: () => nowMs,
  subscribe: () => () => {},
})

export const ClockContext = createContext<Clock>(createClock())

/** Renders again only when the text that `read` gives changes, not at every tick. */
export function useClockText(read: (nowMs: number) => string): string {
  const clock = useContext(ClockContext)
  return useSyncExternalStore(clock.subscribe, () => read(clock.now()))
}
