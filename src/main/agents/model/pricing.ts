/** Converts a turn's usage, with an estimate of its cost by a public price list; null if the list has no price (G6). */
import type { LanguageModelUsage } from 'ai'
import type { ModelProvider, ModelRef } from '../../../shared/agents/model-refs.ts'
import { noUsage, type Usage, unknownUsage } from '../../../shared/records/usage.ts'
import { ownBaseUrls } from './base-urls.ts'
import { listedPrice } from './price-table.ts'

/** The providers' names in the list. It does not apply to other addresses, whose services have prices of their own. */
const pricedProviders: Record<ModelProvider, string | null> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  'openai-compatible': null,
}

/**
 * `model` is the model that answered, by the provider's name; `atMs` the time of the answer, in milliseconds since the
 * epoch, because prices change; `cacheWrite1hTokens` the tokens that the cache keeps for an hour.
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
    ...(cacheWrite1hTokens > 0 && { cacheWrite1hTokens }),
    reasoningTokens: used.outputTokenDetails.reasoningTokens ?? 0,
    complete: inputTokens !== undefined && outputTokens !== undefined,
  }
  const list = isOwnAddress(provider, baseUrl) ? pricedProviders[provider] : null
  const costUsd = list === null ? null : listedPrice(list, model, counted, atMs)
  return costUsd === null
    ? { ...counted, unpriced: counted.inputTokens + counted.outputTokens > 0 }
    : { ...counted, costUsd, pricedBy: 'estimate' }
}

function isOwnAddress(provider: ModelProvider, baseUrl: string | undefined): boolean {
  const own = ownBaseUrls[provider]
  return baseUrl === undefined || (own !== null && new URL(baseUrl).origin === new URL(own).origin)
}

/** Reports whether the list has a price for the model now. */
export function hasPrice({ provider, model, baseUrl }: ModelRef): boolean {
  const list = isOwnAddress(provider, baseUrl) ? pricedProviders[provider] : null
  if (list === null) return false
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
  return listedPrice(list, model, tokens, Date.now()) !== null
}
