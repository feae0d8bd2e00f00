/** What a turn used, and what it cost by a public list of prices: an estimate, and null where the list lacks it (G6). */
import type { LanguageModelUsage } from 'ai'
import type { ModelProvider, ModelRef } from '../../../shared/agents/model-refs.ts'
import { noUsage, type Usage, unknownUsage } from '../../../shared/records/usage.ts'
import { ownBaseUrls } from './base-urls.ts'
import { listedPrice } from './price-table.ts'

/** Providers by their names in the list. Who answers behind another address has prices of its own. */
const pricedProviders: Record<ModelProvider, string | null> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  'openai-compatible': null,
}

/**
 * `model`: the one that answered, as the provider names it. `atMs`: when it did, in milliseconds since the epoch; prices
 * change. `cacheWrite1hTokens`: of what was written to the cache, what it keeps for an hour.
 */
export function usageOf(
  used: LanguageModelUsage | undefined,
  { provider, model, baseUrl }: ModelRef,
  { atMs, cacheWrite1hTokens = 0 }: { atMs: number; cacheWrite1hTokens?: number },
): Usage {
  if (used?.inputTokens === undefined && used?.outputTokens === undefined) return unknownUsage
  const { inputTokens, outputTokens } = used
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = used.inputTokenDetails
  const counted = {
    ...noUsage,
    inputTokens: Math.max(inputTokens ?? 0, cacheReadTokens + cacheWriteTokens),
    outputTokens: outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: used.outputTokenDetails.reasoningTokens ?? 0,
    complete: inputTokens !== undefined && outputTokens !== undefined,
  }
  const list = isOwnAddress(provider, baseUrl) ? pricedProviders[provider] : null
  const costUsd =
    list === null ? null : listedPrice(list, model, { ...counted, cacheWrite1hTokens }, atMs)
  return costUsd === null
    ? { ...counted, unpriced: counted.inputTokens + counted.outputTokens > 0 }
    : { ...counted, costUsd, pricedBy: 'estimate' }
}

function isOwnAddress(provider: ModelProvider, baseUrl: string | undefined): boolean {
  const own = ownBaseUrls[provider]
  return baseUrl === undefined || (own !== null && new URL(baseUrl).origin === new URL(own).origin)
}

/** Whether the list has a price for it now. */
export function hasPrice({ provider, model, baseUrl }: ModelRef): boolean {
  const list = isOwnAddress(provider, baseUrl) ? pricedProviders[provider] : null
  if (list === null) return false
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
  return listedPrice(list, model, tokens, Date.now()) !== null
}
