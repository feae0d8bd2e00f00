/** Decides when the next attempt at an answer is made. */
import type { Cause } from '../../../shared/records/causes.ts'
import type { AttemptFailure } from './failures.ts'

/** About four minutes in total; a provider that is overloaded for longer is down. */
const attemptsMax = 8
/** Each attempt costs as much as an answer. */
const unusableAnswersMax = 3
const firstDelayMs = 1_000
const delayMsMax = 60_000
/** A requested delay that is longer means that a quota is spent until then (Q1). */
const quotaMs = 5 * 60_000

interface RetryPolicy {
  /** Call it after each failed attempt at one answer. `delayMs` is the time until the next; null if there is none. */
  after(
    failure: AttemptFailure,
  ): { cause: Cause; delayMs: number } | { cause: Cause; delayMs: null }
}

/** `delayFactor` is 1, or less in tests. `random` returns 0 up to 1. */
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
  let unusableAnswers = 0
  return {
    after({ cause: failureCause, retry, retryAfterMs, retriesMax = Infinity }) {
      attempts++
      const cause = attempts > 1 ? withAttempts(failureCause, attempts) : failureCause
      if (retry === 'again') unusableAnswers++
      if (retryAfterMs !== null && retryAfterMs > quotaMs)
        return { cause: spentQuota(failureCause, clock() + retryAfterMs), delayMs: null }
      if (
        retry === 'never' ||
        unusableAnswers > Math.min(unusableAnswersMax, retriesMax) ||
        attempts > attemptsMax
      )
        return { cause, delayMs: null }
      // Jitter from half of the delay to all of it, so that agents that were refused together do not retry together.
      const delayMs = Math.min(firstDelayMs * 2 ** (attempts - 1), delayMsMax)
      const backoffMs = delayMs * (0.5 + random() / 2) * delayFactor
      return { cause: failureCause, delayMs: Math.ceil(retryAfterMs ?? backoffMs) }
    },
  }
}

/** Adds the number of attempts to the cause of the last failure. */
const withAttempts = (cause: Cause, attempts: number): Cause =>
  'detail' in cause ? { ...cause, detail: `${cause.detail} (after ${attempts} attempts)` } : cause

const spentQuota = (cause: Cause, untilMs: number): Cause => ({
  kind: 'quota',
  untilMs,
  detail: 'detail' in cause ? cause.detail : 'the quota is spent',
})
