/**
 * Limits how many agents of one tree run at the same time (T5). An agent that only awaits others releases its slot and
 * acquires one again before it continues; continuing agents precede new ones, so that begun work is finished first.
 */
export interface Semaphore {
  /** Resolves with a slot. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Slot>
  /** False if a new request has to wait. */
  hasFree(): boolean
}

/** The slot of one run, from its beginning to its end. */
export interface Slot {
  /**
   * Releases the slot while `work` runs, and resolves after it has been acquired again. May be
   * nested.
   */
  yieldWhile<T>(work: () => Promise<T>): Promise<T>
  /** Releases it. A `yieldWhile` in progress does not acquire it again. */
  release(): void
}

export function createSemaphore(count: number): Semaphore {
  let free = count
  const waiting: { order: Order; take: () => void }[] = []

  function acquire(signal: AbortSignal, order: Order): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (free > 0) {
      free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(signal.reason)
      }
      const take = () => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const entry = { order, take }
      const firstNew = waiting.findIndex((one) => one.order === 'begin')
      const at = order === 'continue' && firstNew >= 0 ? firstNew : waiting.length
      waiting.splice(at, 0, entry)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  function release(): void {
    const next = waiting.shift()
    if (next) next.take()
    else free++
  }

  return {
    async acquire(signal) {
      await acquire(signal, 'begin')
      return heldSlot((over) => acquire(over, 'continue'), release)
    },
    hasFree: () => free > 0,
  }
}

/**
 * Acquires a slot of each and combines them into one. They are always acquired in this order, also
 * after `yieldWhile`, so that a holder of the inner one never waits for the outer one. Rejects with
 * the signal's reason, and then holds neither.
 */
export async function acquireBoth(
  outer: Semaphore,
  inner: Semaphore,
  signal: AbortSignal,
): Promise<Slot> {
  const outerSlot = await outer.acquire(signal)
  try {
    const innerSlot = await inner.acquire(signal)
    return {
      yieldWhile: (work) => innerSlot.yieldWhile(() => outerSlot.yieldWhile(work)),
      release() {
        innerSlot.release()
        outerSlot.release()
      },
    }
  } catch (error) {
    outerSlot.release()
    throw error
  }
}

type Order = 'begin' | 'continue'

function heldSlot(acquireAgain: (over: AbortSignal) => Promise<void>, release: () => void): Slot {
  const over = new AbortController()
  let holding = true
  let yields = 0

  function releaseHeld(): void {
    if (holding) release()
    holding = false
  }

  async function reacquire(): Promise<void> {
    try {
      await acquireAgain(over.signal)
    } catch {
      return // The run has ended in the meantime and needs no slot.
    }
    holding = true
    if (over.signal.aborted || yields > 0) releaseHeld()
  }

  return {
    async yieldWhile(work) {
      yields++
      releaseHeld()
      try {
        return await work()
      } finally {
        if (--yields === 0) await reacquire()
      }
    },
    release() {
      over.abort()
      releaseHeld()
    },
  }
}
