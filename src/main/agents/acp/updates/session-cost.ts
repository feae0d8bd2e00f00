/**
 * What a session costs. Agents report the sum of all its prompts, which goes on after a resume; some begin to count
 * again then. What is counted is the growth of that sum, so that nothing is counted twice, and the cost of a prompt
 * that was killed is counted with the next report.
 */
import { isRecord } from '../content.ts'

export interface SessionCost {
  /** Begins with the last sum of the session that is in the record. */
  continueFrom(recordedUsd: number): void
  /** The sum, as the agent reports it. */
  reported(totalUsd: number): void
  /** What was reported since the last `counted`; null: the agent reports no cost. */
  uncountedUsd(): number | null
  /** The sum that was reported last; null: none was. */
  totalUsd(): number | null
  counted(): void
}

export function createSessionCost(): SessionCost {
  let before = 0
  let uncounted: number | null = null
  let total: number | null = null
  return {
    continueFrom(recordedUsd) {
      before = recordedUsd
    },
    reported(totalUsd) {
      const last = total ?? before
      uncounted = (uncounted ?? 0) + (totalUsd < last ? totalUsd : totalUsd - last)
      total = totalUsd
    },
    uncountedUsd: () => uncounted,
    totalUsd: () => total,
    counted() {
      if (uncounted !== null) uncounted = 0
    },
  }
}

/** The sum in a `usage_update`; null: there is none, or not in US dollars. */
export function totalUsdIn(update: unknown): number | null {
  if (!isRecord(update) || update.sessionUpdate !== 'usage_update') return null
  const { amount, currency } = isRecord(update.cost) ? update.cost : {}
  return typeof amount === 'number' && amount >= 0 && currency === 'USD' ? amount : null
}
