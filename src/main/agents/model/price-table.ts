/** Caches the prices of models in a public list, because one look-up takes longer than importing a record. */
import { calcPrice, type ModelInfo } from '@pydantic/genai-prices'

interface PricedTokens {
  /** Includes tokens read from and written to the cache. */
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** The part of `cacheWriteTokens` that the cache keeps for an hour instead of five minutes, which costs more. */
  cacheWrite1hTokens?: number
  outputTokens: number
}

/** In USD per token. */
interface Rates {
  input: number
  cacheRead: number
  cacheWrite: number
  /** NaN if the list has no rate. */
  cacheWrite1h: number
  output: number
}

interface PriceTiers {
  /** Input lengths, in tokens and ascending, above which other rates apply. */
  thresholds: number[]
  /** The rates for inputs up to each threshold, and last for longer ones. */
  rates: Rates[]
}

/** `priced-by-list`: the prices depend on more than the tokens, so the list is asked each time. */
type Period = PriceTiers | 'priced-by-list'

interface ListedModel {
  providerId: string
  model: string
  /** The times of price changes, in milliseconds since the epoch, ascending. */
  changesMs: number[]
  /** The prices by the number of earlier changes; undefined if not yet looked up. */
  periods: (Period | undefined)[]
}

/** Long sessions use few models. */
const modelsMax = 200
const known = new Map<string, ListedModel | null>()

/** Returns the price of the tokens at that time, in USD; null if the list has none. `atMs` is since the epoch. */
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
  if (tiers === 'priced-by-list' || plain < 0 || short < 0) return priceByList(listed, tokens, atMs)
  const rate = tiers.rates[tiers.thresholds.filter((start) => inputTokens > start).length]
  if (!rate || (cacheWrite1hTokens > 0 && Number.isNaN(rate.cacheWrite1h)))
    return priceByList(listed, tokens, atMs)
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
  // Such prices depend on the time of the day.
  if (constraints.some((one) => one !== undefined && one.type !== 'start_date'))
    return { changesMs: [], periods: ['priced-by-list'] }
  const changesMs = constraints.flatMap((one) =>
    one?.type === 'start_date' ? [Date.parse(one.start_date)] : [],
  )
  return { changesMs: changesMs.sort((a, b) => a - b), periods: [] }
}

function tiersAt(listed: ListedModel, atMs: number): Period {
  const { changesMs, periods } = listed
  const period = changesMs.filter((change) => change <= atMs).length
  const tiers = periods[period] ?? tiersOf(listed, atMs)
  periods[period] = tiers
  return tiers
}

function tiersOf(listed: ListedModel, atMs: number): Period {
  const sample = answer(listed, { input_tokens: 1, output_tokens: 1 }, atMs)
  if (!sample) return 'priced-by-list'
  const starts = Object.values(sample.model_price).flatMap((price) =>
    typeof price === 'object' && price !== null ? price.tiers.map(({ start }) => start) : [],
  )
  const thresholds = [...new Set(starts)].sort((a, b) => a - b)
  const rates = [...thresholds, Number.POSITIVE_INFINITY].map((until, tier) => {
    const from = thresholds[tier - 1] ?? 0
    // A length within the tier, so that the tier's rates apply.
    const input = Number.isFinite(until) ? until : from + sampleTokens
    const price = (more: Partial<PricedTokens>): number =>
      priceByList(
        listed,
        {
          inputTokens: input,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 0,
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
  return isWhole ? { thresholds, rates } : 'priced-by-list'
}

const sampleTokens = 1_000_000

/** Looks the price up in the list. */
function priceByList(
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
    // A missing price must not fail a turn.
    return null
  }
}
