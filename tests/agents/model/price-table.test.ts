import { calcPrice, findProvider } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listedPrice } from '../../../src/main/agents/model/price-table.ts'

const models = ['anthropic', 'openai', 'google'].flatMap((provider) =>
  (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => ({ provider, id })),
)
const tokens = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 1_500_000 }))

it('gives what the list itself gives, for every model of it', () => {
  expect(models.length).toBeGreaterThan(100)
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      fc.record({ plain: tokens, read: tokens, write: tokens, out: tokens }),
      ({ provider, id }, { plain, read, write, out }) => {
        const input = plain + read + write
        const listed = listedOf(provider, id, {
          ...{ input_tokens: input, output_tokens: out },
          ...{ cache_read_tokens: read, cache_write_tokens: write },
        })
        const price = listedPrice(provider, id, {
          ...{ inputTokens: input, outputTokens: out },
          ...{ cacheReadTokens: read, cacheWriteTokens: write },
        })
        if (listed === null) expect(price).toBeNull()
        else expect(Math.abs((price ?? Number.NaN) - listed)).toBeLessThan(1e-9 + listed * 1e-9)
      },
    ),
    { numRuns: 20_000 },
  )
})

it('knows no price of a model that the list lacks', () => {
  const counts = { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 }
  expect(listedPrice('anthropic', 'a-model-of-nobody', counts)).toBeNull()
})

function listedOf(provider: string, model: string, counts: Record<string, number>): number | null {
  try {
    return calcPrice(counts, model, { providerId: provider })?.total_price ?? null
  } catch {
    return null
  }
}
