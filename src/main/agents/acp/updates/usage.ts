/** What a prompt used, as the agent reports it. */
import { type Usage, unknownUsage } from '../../../../shared/records/usage.ts'
import { isRecord } from '../content.ts'

/**
 * `answer`: of the prompt. `isSum`: it covers all of the prompt and not only the last request to the model. `costUsd`:
 * of the prompt; null if not reported. Undefined: nothing was reported.
 */
export function usageOfAnswer(
  answer: unknown,
  { isSum, costUsd }: { isSum: boolean; costUsd: number | null },
): Usage | undefined {
  const given = isRecord(answer) && isRecord(answer.usage) ? answer.usage : null
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

/** The usage of a prompt that has not ended. */
export const costOnly = (costUsd: number): Usage => ({
  ...unknownUsage,
  costUsd,
  pricedBy: 'agent',
})

const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.round(value) : 0
