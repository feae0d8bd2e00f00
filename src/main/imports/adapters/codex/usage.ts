/**
 * The usage of each response. Codex writes the running totals of a thread, repeatedly, and the usage of the last
 * response. Counting the difference of totals avoids duplicates and survives damaged lines.
 */
import type { Usage } from '../../../../shared/records/usage.ts'
import { usageOf } from '../../../agents/model/pricing.ts'
import { asRecord, count, isRecord } from '../values.ts'

const fields = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const
type Tokens = Record<(typeof fields)[number], number>

const tokensOf = (given: unknown): Tokens | null =>
  isRecord(given)
    ? (Object.fromEntries(fields.map((field) => [field, count(given[field])])) as Tokens)
    : null

export function createUsageCounter() {
  /** The last total; null: none so far. A fork's first total includes its origin's usage. */
  let before: Tokens | null = null

  return {
    /** Returns the usage since the last total; null: a repetition. `last`: the usage of the last response. */
    count(total: unknown, last: unknown): Tokens | null {
      const now = tokensOf(total)
      const own = tokensOf(last)
      if (!now) return null
      const previous = before
      before = now
      if (!previous) return own && hasTokens(own) ? own : null
      const added = Object.fromEntries(
        fields.map((field) => [field, now[field] - previous[field]]),
      ) as Tokens
      // A decreasing total means that Codex reset its counter.
      if (fields.some((field) => added[field] < 0)) return own && hasTokens(own) ? own : null
      return hasTokens(added) ? added : null
    },
  }
}

const hasTokens = (tokens: Tokens): boolean => fields.some((field) => tokens[field] > 0)

/** The totals in a `token_count` or `token_usage_record`; null: none. */
export function totalsOf(
  payload: Record<string, unknown>,
): { total: unknown; last: unknown } | null {
  if (isRecord(payload.thread_token_usage))
    return { total: payload.thread_token_usage, last: payload.usage }
  const info = asRecord(payload.info)
  return isRecord(info.total_token_usage)
    ? { total: info.total_token_usage, last: info.last_token_usage }
    : null
}

/** Adds OpenAI's price at that time if OpenAI is the provider. `atMs`: milliseconds since the epoch. */
export function pricedUsage(
  tokens: Tokens,
  { model, provider, atMs }: { model: string; provider: string | null; atMs: number },
): Usage {
  const cacheReadTokens = tokens.cached_input_tokens
  const cacheWriteTokens = tokens.cache_write_input_tokens
  return usageOf(
    {
      inputTokens: tokens.input_tokens,
      outputTokens: tokens.output_tokens,
      totalTokens: undefined,
      inputTokenDetails: {
        noCacheTokens: Math.max(0, tokens.input_tokens - cacheReadTokens - cacheWriteTokens),
        cacheReadTokens,
        cacheWriteTokens,
      },
      outputTokenDetails: {
        textTokens: undefined,
        reasoningTokens: tokens.reasoning_output_tokens,
      },
    },
    {
      provider: provider === null || provider === 'openai' ? 'openai' : 'openai-compatible',
      model,
    },
    { atMs },
  )
}
