/** Prices of a model by a public list, looked up once: the list takes longer for each question than an import for a record. */
import { calcPrice } from '@pydantic/genai-prices'

interface TokenCounts {
  /** Those of the cache included. */
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}

/** In USD, for one token of each. */
interface Rates {
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
}

interface PricedModel {
  /** Inputs longer than this have other rates, in tokens, ascending. */
  thresholds: number[]
  /** For inputs up to the first threshold, the second, and so on, and for longer ones. */
  rates: Rates[]
}

/** Long sessions use few models. */
const modelsMax = 200
const known = new Map<string, PricedModel | 'asked-each-time' | null>()

/** USD; null: the list has no price for it. */
export function listedPrice(providerId: string, model: string, counts: TokenCounts): number | null {
  const key = `${providerId}\0${model}`
  let priced = known.get(key)
  if (priced === undefined) {
    if (known.size >= modelsMax) known.clear()
    priced = rated(providerId, model)
    known.set(key, priced)
  }
  if (priced === null) return null
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = counts
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens
  if (priced === 'asked-each-time' || plain < 0) return asked(providerId, model, counts)
  const { thresholds, rates } = priced
  const tier = thresholds.filter((start) => inputTokens > start).length
  const rate = rates[tier]
  if (!rate) return asked(providerId, model, counts)
  return (
    plain * rate.input +
    cacheReadTokens * rate.cacheRead +
    cacheWriteTokens * rate.cacheWrite +
    outputTokens * rate.output
  )
}

/** The list's own answer. */
function asked(
  providerId: string,
  model: string,
  { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: TokenCounts,
): number | null {
  return calculated(providerId, model, {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  })
}

function rated(providerId: string, model: string): PricedModel | 'asked-each-time' | null {
  const sample = answer(providerId, model, { input_tokens: 1, output_tokens: 1 })
  if (!sample) return null
  // Its prices depend on the time.
  if (Array.isArray(sample.model.prices)) return 'asked-each-time'
  const starts = Object.values(sample.model_price).flatMap((price) =>
    typeof price === 'object' && price !== null ? price.tiers.map(({ start }) => start) : [],
  )
  const thresholds = [...new Set(starts)].sort((a, b) => a - b)
  const rates = [...thresholds, Number.POSITIVE_INFINITY].map((until, tier) => {
    const from = thresholds[tier - 1] ?? 0
    // Within the tier, so that it is priced as the tier is.
    const input = Number.isFinite(until) ? until : from + sampleTokens
    const price = (more: Partial<TokenCounts>): number =>
      asked(providerId, model, {
        ...{ inputTokens: input, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
        ...more,
      }) ?? Number.NaN
    const alone = price({})
    return {
      input: alone / input,
      cacheRead: price({ cacheReadTokens: input }) / input,
      cacheWrite: price({ cacheWriteTokens: input }) / input,
      output: (price({ outputTokens: sampleTokens }) - alone) / sampleTokens,
    }
  })
  // One of them can't be priced: the list says when.
  const isWhole = rates.every((rate) => Object.values(rate).every(Number.isFinite))
  return isWhole ? { thresholds, rates } : 'asked-each-time'
}

const sampleTokens = 1_000_000

const calculated = (...args: Parameters<typeof answer>): number | null =>
  answer(...args)?.total_price ?? null

function answer(providerId: string, model: string, counts: Record<string, number>) {
  try {
    return calcPrice(counts, model, { providerId })
  } catch {
    // The list can't price this: that is no reason to fail a turn.
    return null
  }
}
