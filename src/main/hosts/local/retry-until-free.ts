/** Waiting for a holder that takes no calls: one that starts, ends, or runs a short command. */
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { LeaseHolder } from '../../lease/lease-holder.ts'

/** Nearly every command, and every start, is finished within this time. */
const holderMsMax = 5_000
/** Commands that wait for each other get the lease in no order, so one must not wait for a script that starts them endlessly. */
const totalMsMax = 60_000
const retryMs = 50

/**
 * Tries again after each error that `isTransient` accepts: at most 5 s for each process that holds the lease, 60 s in
 * total. Then throws the last error.
 */
export async function retryUntilFree<Result>(
  attempt: () => Promise<Result>,
  isTransient: (error: unknown) => boolean,
  now: () => number = () => performance.now(),
): Promise<Result> {
  const startedAt = now()
  let holder = ''
  let heldSince = startedAt
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error)) throw error
      const found = holderIn(error)
      const next = found ? `${found.pid} ${found.acquiredAt}` : holder
      if (next !== holder) heldSince = now()
      holder = next
      if (now() - heldSince > holderMsMax || now() - startedAt > totalMsMax) throw error
    }
    await delay(retryMs)
  }
}

/** Whether the error is a LeaseHeldError whose holder is on this machine and may soon exit. */
export function isHeldBriefly(error: unknown): boolean {
  const holder = holderIn(error)
  return holder !== null && holder.endpoint === null && holder.hostName === hostname()
}

/** The holder of the data directory, if the error names it. */
export function holderIn(error: unknown): LeaseHolder | null {
  const isHeld = error instanceof Error && 'kind' in error && error.kind === 'lease-held'
  return isHeld && 'holder' in error ? (error.holder as LeaseHolder) : null
}
