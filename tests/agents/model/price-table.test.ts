import { calcPrice, findProvider } from '@pydantic/genai-prices'
import { expect, it } from 'vitest'
import { listedPrice } from '../../../src/main/agents/model/price-table.ts'
import fc from '../../random.ts'

const models = ['anthropic', 'openai', 'google'].flatMap((provider) =>
  (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => ({ provider, id })),
)
/** Prices of some models change within this time. */
const times = fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2027-06-01') })
const tokens = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 1_500_000 }))

it('returns the same as the list itself, for each of its models', () => {
  expect(models.length).toBeGreaterThan(100)
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      fc.record({ plain: tokens, read: tokens, write: tokens, hour: tokens, out: tokens }),
      times,
      ({ provider, id }, { plain, read, write, hour, out }, atMs) => {
        const input = plain + read + write + hour
        const counts = {
          input_tokens: input,
          output_tokens: out,
          cache_read_tokens: read,
          cache_write_tokens: write + hour,
          cache_write_1h_tokens: hour,
        }
        const listed = listedOf(provider, id, counts, atMs)
        const of = {
          inputTokens: input,
          outputTokens: out,
          cacheReadTokens: read,
          cacheWriteTokens: write + hour,
          cacheWrite1hTokens: hour,
        }
        const price = listedPrice(provider, id, of, atMs)
        if (listed === null) expect(price).toBeNull()
        else expect(Math.abs((price ?? Number.NaN) - listed)).toBeLessThan(1e-9 + listed * 1e-9)
      },
    ),
    { numRuns: 20_000 },
  )
})

it('knows no price of a model that the list lacks', () => {
  const counts = { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 }
  expect(listedPrice('anthropic', 'a-model-of-nobody', counts, 0)).toBeNull()
})

it('uses the prices in force at the time, and a higher one for the cache of an hour', () => {
  const long = { inputTokens: 300_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const model = 'claude-opus-4-6'
  expect(listedPrice('anthropic', model, long, Date.parse('2026-02-01'))).toBeCloseTo(3)
  expect(listedPrice('anthropic', model, long, Date.parse('2026-04-01'))).toBeCloseTo(1.5)
  const written = { ...long, inputTokens: 1_000_000, cacheWriteTokens: 1_000_000 }
  const at = Date.parse('2026-04-01')
  expect(listedPrice('anthropic', model, written, at)).toBeCloseTo(6.25)
  const kept = { ...written, cacheWrite1hTokens: 1_000_000 }
  expect(listedPrice('anthropic', model, kept, at)).toBeCloseTo(10)
})

function listedOf(
  providerId: string,
  model: string,
  counts: Record<string, number>,
  atMs: number,
): number | null {
  try {
    const timestamp = new Date(atMs)
    return calcPrice(counts, model, { providerId, timestamp })?.total_price ?? null
  } catch {
    return null
  }
}
