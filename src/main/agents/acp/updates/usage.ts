/** Converts the usage that an agent reports for a prompt. */
import { type Usage, unknownUsage } from '../../../../shared/records/usage.ts'
import { isRecord } from '../content.ts'

/**
 * Returns the usage in `answer`, the answer to a prompt; undefined if nothing was reported. `isSum`: it covers the whole
 * prompt and not only the last request to the model. `byModel`: the usage by model also covers the agent's own
 * sub-agents. `costUsd` is the cost of the prompt; null if not reported.
 */
export function usageOfAnswer(
  answer: unknown,
  {
    isSum,
    byModel = false,
    costUsd,
  }: { isSum: boolean; byModel?: boolean; costUsd: number | null },
): Usage | undefined {
  const own = isRecord(answer) && isRecord(answer.usage) ? answer.usage : null
  const given = own && byModel ? larger(own, sumOfModels(answer)) : own
  if (given === null) return costUsd === null ? undefined : costOnly(costUsd)
  const cacheReadTokens = count(given.cachedReadTokens)
  const cacheWriteTokens = count(given.cachedWriteTokens)
  return {
    // The protocol counts cached input separately.
    inputTokens: count(given.inputTokens) + cacheReadTokens + cacheWriteTokens,
    outputTokens: count(given.outputTokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(given.thoughtTokens),
    costUsd,
    pricedBy: costUsd === null ? null : 'agent',
    unpriced: false,
    complete: isSum,
  }
}

export const isReportedByModel = (answer: unknown): boolean => sumOfModels(answer) !== null

/** Returns the sum in the fields of `usage`; null if the usage is not reported by model. */
function sumOfModels(answer: unknown): Record<string, unknown> | null {
  const meta = isRecord(answer) && isRecord(answer._meta) ? answer._meta : {}
  const rows = isRecord(meta.quota) ? meta.quota.model_usage : null
  if (!Array.isArray(rows) || rows.length === 0) return null
  const sum = { inputTokens: 0, cachedReadTokens: 0, cachedWriteTokens: 0, outputTokens: 0 }
  for (const row of rows) {
    const counts = isRecord(row) && isRecord(row.token_count) ? row.token_count : {}
    sum.inputTokens += count(counts.inputTokens)
    sum.cachedReadTokens += count(counts.cachedInputTokens)
    sum.cachedWriteTokens += count(counts.cachedWriteTokens)
    sum.outputTokens += count(counts.outputTokens)
  }
  return sum
}

function larger(own: Record<string, unknown>, sum: Record<string, unknown> | null) {
  const total = (of: Record<string, unknown>) =>
    [of.inputTokens, of.cachedReadTokens, of.cachedWriteTokens, of.outputTokens]
      .map(count)
      .reduce((all, one) => all + one, 0)
  return sum !== null && total(sum) > total(own) ? sum : own
}

/** Returns the usage of a prompt of which only the cost is known yet. */
export const costOnly = (costUsd: number): Usage => ({
  ...unknownUsage,
  costUsd,
  pricedBy: 'agent',
})

const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.round(value) : 0
