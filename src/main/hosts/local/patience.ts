/** Waiting for a holder that takes no calls: it starts, ends, or runs a short command. */
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { LeaseHolder } from '../../lease/lease-holder.ts'

/** Nearly every command, and every start, is finished within this time. */
const briefHolderMsMax = 5_000
const retryMs = 50

/** Tries again, for a bounded time, while it fails in a way that `mayPass`. Then throws the last failure. */
export async function patiently<Result>(
  attempt: () => Promise<Result>,
  mayPass: (error: unknown) => boolean,
): Promise<Result> {
  const patientUntil = performance.now() + briefHolderMsMax
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || performance.now() > patientUntil) throw error
    }
    await delay(retryMs)
  }
}

/** Whether it is a LeaseHeldError of a holder on this machine that may soon exit. */
export function isHeldBriefly(error: unknown): boolean {
  const holder = holderIn(error)
  return holder !== null && holder.endpoint === null && holder.hostName === hostname()
}

/** The holder of the data directory, if the error names it. */
export function holderIn(error: unknown): LeaseHolder | null {
  const isHeld = error instanceof Error && 'kind' in error && error.kind === 'lease-held'
  return isHeld && 'holder' in error ? (error.holder as LeaseHolder) : null
}
