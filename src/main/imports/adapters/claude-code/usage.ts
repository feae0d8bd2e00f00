/** What a message used, priced by the model that it names and the prices of its time. */
import type { Usage } from '../../../../shared/records/usage.ts'
import { usageOf } from '../../../agents/model/pricing.ts'
import { asRecord, count, isRecord } from '../values.ts'

/** Null: the record has no usage, or is of no model. `atMs`: of the record, in milliseconds since the epoch. */
export function usageOfMessage(given: unknown, model: string | null, atMs: number): Usage | null {
  if (!isRecord(given) || model === null) return null
  const cacheReadTokens = count(given.cache_read_input_tokens)
  const cacheWriteTokens = count(given.cache_creation_input_tokens)
  // Part of those above.
  const inHourCache = count(asRecord(given.cache_creation).ephemeral_1h_input_tokens)
  const noCacheTokens = count(given.input_tokens)
  return usageOf(
    {
      inputTokens: noCacheTokens + cacheReadTokens + cacheWriteTokens,
      outputTokens: count(given.output_tokens),
      totalTokens: undefined,
      inputTokenDetails: { noCacheTokens, cacheReadTokens, cacheWriteTokens },
      outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    },
    { provider: 'anthropic', model },
    { atMs, cacheWrite1hTokens: Math.min(inHourCache, cacheWriteTokens) },
  )
}
