/** When the next attempt at an answer is made. */
import type { Cause } from '../../../shared/records/causes.ts'
import type { AttemptFailure } from './failures.ts'

/** A provider that is overloaded for longer is down; together some four minutes. */
const laterMax = 8
/** Each costs what an answer costs. */
const againMax = 3
const firstDelayMs = 1_000
const delayMsMax = 60_000
/** A provider that asks for more is not busy: a quota is spent until then (Q1). */
const quotaMs = 5 * 60_000

/** When to repeat the request for one answer. */
interface RetryPolicy {
  /** `delayMs`: until the next attempt. `cause`: there is none. */
  after(
    failure: AttemptFailure,
  ): { cause: Cause; delayMs: number } | { cause: Cause; delayMs: null }
}

/** `delayFactor`: 1, or less for tests. `random`: from 0 up to 1. */
export function createRetryPolicy({
  clock,
  random,
  delayFactor,
}: {
  clock: () => number
  random: () => number
  delayFactor: number
}): RetryPolicy {
  let attempts = 0
  let again = 0
  return {
    after({ cause: failed, retry, retryAfterMs, retriesMax = Infinity }) {
      attempts++
      const cause = attempts > 1 ? counted(failed, attempts) : failed
      if (retry === 'again') again++
      if (retryAfterMs !== null && retryAfterMs > quotaMs)
        return { cause: spent(failed, clock() + retryAfterMs), delayMs: null }
      if (retry === 'never' || again > Math.min(againMax, retriesMax) || attempts > laterMax)
        return { cause, delayMs: null }
      // Between half of it and all: agents that were refused together do not come back together.
      const delayMs = Math.min(firstDelayMs * 2 ** (attempts - 1), delayMsMax)
      const backoffMs = delayMs * (0.5 + random() / 2) * delayFactor
      return { cause: failed, delayMs: Math.ceil(retryAfterMs ?? backoffMs) }
    },
  }
}

/** The last failure includes the number of attempts. */
const counted = (cause: Cause, attempts: number): Cause =>
  'detail' in cause ? { ...cause, detail: `${cause.detail} (after ${attempts} attempts)` } : cause

const spent = (cause: Cause, untilMs: number): Cause => ({
  kind: 'quota',
  untilMs,
  detail: 'detail' in cause ? cause.detail : 'the quota is spent',
})
