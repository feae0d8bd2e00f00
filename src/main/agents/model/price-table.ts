/** Prices of a model by a public list, looked up once: the list takes longer for each question than an import for a record. */
import { calcPrice, type ModelInfo } from '@pydantic/genai-prices'

interface PricedTokens {
  /** Those of the cache included. */
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** How many of these the cache keeps for an hour instead of five minutes, which costs more. */
  cacheWrite1hTokens?: number
  outputTokens: number
}

/** In USD, for one token of each. */
interface Rates {
  input: number
  cacheRead: number
  cacheWrite: number
  /** Not a number: the list has none. */
  cacheWrite1h: number
  output: number
}

interface PriceTiers {
  /** Inputs longer than this have other rates, in tokens, ascending. */
  thresholds: number[]
  /** For inputs up to the first threshold, the second, and so on, and for longer ones. */
  rates: Rates[]
}

interface ListedModel {
  providerId: string
  model: string
  /** When its prices changed, in milliseconds since the epoch, ascending. */
  changesMs: number[]
  /** By the number of changes before; undefined: not yet looked up. */
  periods: (PriceTiers | 'asked-each-time' | undefined)[]
}

/** Long sessions use few models. */
const modelsMax = 200
const known = new Map<string, ListedModel | null>()

/** What that cost at that time, in USD; null: the list has no price for it. */
export function listedPrice(
  providerId: string,
  model: string,
  tokens: PricedTokens,
  atMs: number,
): number | null {
  const listed = listedModel(providerId, model)
  if (listed === null) return null
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = tokens
  const { cacheWrite1hTokens = 0 } = tokens
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens
  const short = cacheWriteTokens - cacheWrite1hTokens
  const tiers = tiersAt(listed, atMs)
  if (tiers === 'asked-each-time' || plain < 0 || short < 0) return asked(listed, tokens, atMs)
  const rate = tiers.rates[tiers.thresholds.filter((start) => inputTokens > start).length]
  if (!rate || (cacheWrite1hTokens > 0 && Number.isNaN(rate.cacheWrite1h)))
    return asked(listed, tokens, atMs)
  return (
    plain * rate.input +
    cacheReadTokens * rate.cacheRead +
    short * rate.cacheWrite +
    (cacheWrite1hTokens > 0 ? cacheWrite1hTokens * rate.cacheWrite1h : 0) +
    outputTokens * rate.output
  )
}

function listedModel(providerId: string, model: string): ListedModel | null {
  const key = `${providerId}\0${model}`
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size >= modelsMax) known.clear()
  const sample = answer({ providerId, model }, { input_tokens: 1, output_tokens: 1 })
  const listed = sample && { providerId, model, ...periodsOf(sample.model.prices) }
  known.set(key, listed)
  return listed
}

function periodsOf(prices: ModelInfo['prices']): Pick<ListedModel, 'changesMs' | 'periods'> {
  const constraints = (Array.isArray(prices) ? prices : []).map(({ constraint }) => constraint)
  // They depend on the time of the day.
  if (constraints.some((one) => one !== undefined && one.type !== 'start_date'))
    return { changesMs: [], periods: ['asked-each-time'] }
  const changesMs = constraints.flatMap((one) =>
    one?.type === 'start_date' ? [Date.parse(one.start_date)] : [],
  )
  return { changesMs: changesMs.sort((a, b) => a - b), periods: [] }
}

function tiersAt(listed: ListedModel, atMs: number): PriceTiers | 'asked-each-time' {
  const { changesMs, periods } = listed
  const period = changesMs.filter((change) => change <= atMs).length
  const tiers = periods[period] ?? tiersOf(listed, atMs)
  periods[period] = tiers
  return tiers
}

function tiersOf(listed: ListedModel, atMs: number): PriceTiers | 'asked-each-time' {
  const sample = answer(listed, { input_tokens: 1, output_tokens: 1 }, atMs)
  if (!sample) return 'asked-each-time'
  const starts = Object.values(sample.model_price).flatMap((price) =>
    typeof price === 'object' && price !== null ? price.tiers.map(({ start }) => start) : [],
  )
  const thresholds = [...new Set(starts)].sort((a, b) => a - b)
  const rates = [...thresholds, Number.POSITIVE_INFINITY].map((until, tier) => {
    const from = thresholds[tier - 1] ?? 0
    // Within the tier, so that it is priced as the tier is.
    const input = Number.isFinite(until) ? until : from + sampleTokens
    const price = (more: Partial<PricedTokens>): number =>
      asked(
        listed,
        {
          ...{ inputTokens: input, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
          ...more,
        },
        atMs,
      ) ?? Number.NaN
    const alone = price({})
    return {
      input: alone / input,
      cacheRead: price({ cacheReadTokens: input }) / input,
      cacheWrite: price({ cacheWriteTokens: input }) / input,
      cacheWrite1h: price({ cacheWriteTokens: input, cacheWrite1hTokens: input }) / input,
      output: (price({ outputTokens: sampleTokens }) - alone) / sampleTokens,
    }
  })
  // If a rate is missing, the list decides for each record whether it has a price.
  const isWhole = rates.every(({ cacheWrite1h: _, ...rate }) =>
    Object.values(rate).every(Number.isFinite),
  )
  return isWhole ? { thresholds, rates } : 'asked-each-time'
}

const sampleTokens = 1_000_000

/** The list's own answer. */
function asked(
  of: { providerId: string; model: string },
  {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens,
    outputTokens,
  }: PricedTokens,
  atMs: number,
): number | null {
  const tokens = {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    ...(cacheWrite1hTokens ? { cache_write_1h_tokens: cacheWrite1hTokens } : {}),
    output_tokens: outputTokens,
  }
  return answer(of, tokens, atMs)?.total_price ?? null
}

function answer(
  { providerId, model }: { providerId: string; model: string },
  tokens: Record<string, number>,
  atMs?: number,
) {
  const at = atMs === undefined ? {} : { timestamp: new Date(atMs) }
  try {
    return calcPrice(tokens, model, { providerId, ...at })
  } catch {
    // The list can't price this: that is no reason to fail a turn.
    return null
  }
}
