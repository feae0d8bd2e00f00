/** The usage of a message, priced by its model at the time of the message. */
import type { Usage } from '../../../../shared/records/usage.ts'
import { usageOf } from '../../../agents/model/pricing.ts'
import { asRecord, count, isRecord } from '../values.ts'

/** Null: no usage or no model. `atMs`: the time of the record, in milliseconds since the epoch. */
export function usageOfMessage(given: unknown, model: string | null, atMs: number): Usage | null {
  if (!isRecord(given) || model === null) return null
  const cacheReadTokens = count(given.cache_read_input_tokens)
  const cacheWriteTokens = count(given.cache_creation_input_tokens)
  // Included in the cache writes above.
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
