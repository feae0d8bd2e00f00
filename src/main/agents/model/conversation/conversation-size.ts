/** Estimates the size of a conversation, and the size at which it is summarised. In tokens. */
import { calcPrice } from '@pydantic/genai-prices'
import type { ModelProvider, ModelRef } from '../../../../shared/agents/model-refs.ts'
import type { ContextWindow } from '../context-window.ts'
import type { ConversationItem, TurnPart, UserPart } from './conversation.ts'

/** Windows of models that are not in the price list. Local servers often use much less than a model supports. */
const windowDefaults: Record<ModelProvider, number> = {
  anthropic: 200_000,
  openai: 200_000,
  google: 500_000,
  'openai-compatible': 64_000,
}
/** Reserved for the answer and for the error of the estimate. */
const reservedMax = 40_000
const reservedShare = 0.3

/** Returns the tokens at which a conversation is summarised. */
export function compactionLimit({ provider, model }: ModelRef, known: ContextWindow): number {
  const { tokens, tokensMax } = known
  const window = tokens ?? Math.min(windowOf(provider, model), tokensMax ?? Infinity)
  return window - Math.min(reservedMax, Math.floor(window * reservedShare))
}

function windowOf(provider: ModelProvider, model: string): number {
  if (provider === 'openai-compatible') return windowDefaults[provider]
  try {
    const found = calcPrice({ input_tokens: 1 }, model, { providerId: provider })
    return found?.model.context_window ?? windowDefaults[provider]
  } catch {
    return windowDefaults[provider]
  }
}

/** Code has about three characters per token. Text has more, so the estimate errs on the safe side. */
const charsPerToken = 3
/** Tokens of the largest image that providers accept without scaling. */
export const imageTokens = 1600

export const tokensOf = (items: readonly ConversationItem[]): number =>
  items.reduce((sum, { parts }) => parts.reduce((more, part) => more + tokensIn(part), sum), 0)

function tokensIn(part: UserPart | TurnPart): number {
  if (part.type === 'image') return imageTokens
  if (part.type !== 'call') return Math.ceil(part.text.length / charsPerToken)
  const { input, result } = part
  const chars = JSON.stringify(input ?? null).length + (result?.output.length ?? 0)
  return Math.ceil(chars / charsPerToken) + (result?.images?.length ?? 0) * imageTokens
}
