/**
 * The cost of a session. Agents report the sum over all prompts, which continues after a resume; some restart at zero
 * or at an earlier sum. Only increases are counted, so nothing is counted twice, and the cost of an interrupted prompt
 * is counted with the next report if the agent includes it.
 */
import type { AgentSessionCost } from '../../../../shared/agents/agent-records.ts'
import { isRecord } from '../content.ts'

export interface SessionCost {
  /**
   * Sums at which the agent may begin, the likeliest first. It begins at the first that the next report is not below.
   */
  continueFrom(basesUsd: readonly number[]): void
  /** The sum, as the agent reports it. */
  reported(totalUsd: number): void
  /** What was reported since the last `counted`; null: the agent reports no cost. */
  uncountedUsd(): number | null
  /** The sum that was reported last; null: none was. */
  totalUsd(): number | null
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

/** Where the sum of a session that continues may begin: at what was reported last, else at what its agent has saved. */
export const basesOf = (
  { reportedUsd, savedUsd, wasKilled }: AgentSessionCost,
  { savesCostAtEnd }: { savesCostAtEnd: boolean },
): number[] => {
  if (!savesCostAtEnd) return [reportedUsd]
  return wasKilled ? [savedUsd] : [reportedUsd, savedUsd]
}

/** The sum in a `usage_update`; null: there is none, or not in US dollars. */
export function totalUsdIn(update: unknown): number | null {
  if (!isRecord(update) || update.sessionUpdate !== 'usage_update') return null
  const { amount, currency } = isRecord(update.cost) ? update.cost : {}
  return typeof amount === 'number' && amount >= 0 && currency === 'USD' ? amount : null
}
