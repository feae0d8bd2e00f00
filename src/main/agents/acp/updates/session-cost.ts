/**
 * Computes the cost of a run from the sums that an agent reports for its session. The sum continues after a resume; some
 * agents restart at zero or at an earlier sum. Only increases are counted, so nothing is counted twice, and the cost of
 * an interrupted prompt is counted with the next report if the agent includes it.
 */
import type { AgentSessionCost } from '../../../../shared/agents/agent-records.ts'
import { isRecord } from '../content.ts'

export interface SessionCost {
  /**
   * Sets the sums at which the agent may continue, the likeliest first. The first that is not above the next report is
   * used.
   */
  continueFrom(basesUsd: readonly number[]): void
  /** Adds a reported sum. */
  reported(totalUsd: number): void
  /** Returns the cost since the last `counted`; null if the agent reports none. */
  uncountedUsd(): number | null
  /** Returns the sum that was reported last; null if none was. */
  totalUsd(): number | null
  /** Marks the cost so far as counted. */
  counted(): void
}

export function createSessionCost(): SessionCost {
  let bases: readonly number[] = []
  let uncounted: number | null = null
  let total: number | null = null
  return {
    continueFrom(basesUsd) {
      bases = basesUsd
    },
    reported(totalUsd) {
      const last = (total === null ? bases : [total]).find((base) => base <= totalUsd) ?? 0
      uncounted = (uncounted ?? 0) + totalUsd - last
      total = totalUsd
    },
    uncountedUsd: () => uncounted,
    totalUsd: () => total,
    counted() {
      if (uncounted !== null) uncounted = 0
    },
  }
}

/** Returns the sums for `continueFrom`: the one reported last, and the one that the agent has saved. */
export const basesOf = (
  { reportedUsd, savedUsd, wasKilled }: AgentSessionCost,
  { savesCostAtEnd }: { savesCostAtEnd: boolean },
): number[] => {
  if (!savesCostAtEnd) return [reportedUsd]
  return wasKilled ? [savedUsd] : [reportedUsd, savedUsd]
}

/** Returns the sum of a `usage_update`, in USD; null if it has none in this currency. */
export function totalUsdIn(update: unknown): number | null {
  if (!isRecord(update) || update.sessionUpdate !== 'usage_update') return null
  const { amount, currency } = isRecord(update.cost) ? update.cost : {}
  return typeof amount === 'number' && amount >= 0 && currency === 'USD' ? amount : null
}
