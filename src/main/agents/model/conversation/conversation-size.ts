/** How much a conversation may hold, and about how much it does, in tokens. */
import { calcPrice } from '@pydantic/genai-prices'
import type { ModelProvider, ModelRef } from '../../../../shared/agents/model-refs.ts'
import type { ContextWindow } from '../context-window.ts'
import type { ConversationItem, TurnPart, UserPart } from './conversation.ts'

/** Windows of models that are not in the list. Local servers often run with much less than the model supports. */
const windowDefaults: Record<ModelProvider, number> = {
  anthropic: 200_000,
  openai: 200_000,
  google: 500_000,
  'openai-compatible': 64_000,
}
/** Left for the answer, and for what is wrong with the estimate. */
const reservedMax = 40_000
const reservedShare = 0.3

/** Tokens at which a conversation is summarised. */
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

/** Code has about three characters a token; too many is the safe side. */
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
