/** The tokens that models used, and their cost. */
import { z } from 'zod'

const tokens = z.number().int().min(0)

export const usageSchema = z.object({
  /** All input, cached or not. */
  inputTokens: tokens,
  /** All output, reasoning included. */
  outputTokens: tokens,
  /** Part of `inputTokens`: read from the provider's cache, and written to it. */
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  /** Part of `cacheWriteTokens`: kept for an hour, at another price. Absent: none, or not known. */
  cacheWrite1hTokens: tokens.optional(),
  /** Part of `outputTokens`. */
  reasoningTokens: tokens,
  /** US dollars, for the part that has a price; null when none of it has. */
  costUsd: z.number().min(0).nullable(),
  /** The source of the price: the agent, or Shiplog's list of prices (then it is an estimate). Null without a price. */
  pricedBy: z.enum(['agent', 'estimate']).nullable(),
  /** True when some of the tokens have no price: `costUsd` is the least that it cost. */
  unpriced: z.boolean(),
  /** False when some part of it was not reported. */
  complete: z.boolean(),
})
export type Usage = z.infer<typeof usageSchema>

/** The usage of a run before its first turn, and of an agent that needs no model. */
export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: null,
  pricedBy: null,
  unpriced: false,
  complete: true,
}
/** The usage of a turn or a run that did not report any. */
export const unknownUsage: Usage = { ...noUsage, complete: false }

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWrite1hTokens = (a.cacheWrite1hTokens ?? 0) + (b.cacheWrite1hTokens ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...(cacheWrite1hTokens > 0 && { cacheWrite1hTokens }),
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
    // One estimate makes the sum an estimate.
    pricedBy: [a, b].some(({ pricedBy }) => pricedBy === 'estimate')
      ? 'estimate'
      : (a.pricedBy ?? b.pricedBy),
    unpriced: isUnpriced(a) || isUnpriced(b),
    complete: a.complete && b.complete,
  }
}

const isUnpriced = (usage: Usage): boolean =>
  usage.unpriced || (usage.costUsd === null && usage.inputTokens + usage.outputTokens > 0)
