import { describe, expect, it } from 'vitest'
import { addUsage, noUsage, type Usage, unknownUsage } from '../../../src/shared/records/usage.ts'

const used = (inputTokens: number, more: Partial<Usage> = {}): Usage => ({
  ...noUsage,
  inputTokens,
  ...more,
})
const priced = used(10, { costUsd: 0.25, pricedBy: 'agent' })

describe('a sum of usage', () => {
  it('adds every count of tokens', () => {
    const one: Usage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      cacheWrite1hTokens: 3,
      reasoningTokens: 5,
      costUsd: 0.5,
      pricedBy: 'agent',
      unpriced: false,
      complete: true,
    }
    expect(addUsage(one, one)).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
      cacheWrite1hTokens: 6,
      reasoningTokens: 10,
      costUsd: 1,
      pricedBy: 'agent',
      unpriced: false,
      complete: true,
    })
  })

  it('states that a part has no price, and never that it cost nothing', () => {
    expect(addUsage(priced, used(1))).toMatchObject({ costUsd: 0.25, unpriced: true })
    expect(addUsage(used(1), noUsage)).toMatchObject({ costUsd: null, unpriced: true })
    expect(addUsage(priced, noUsage)).toMatchObject({ costUsd: 0.25, unpriced: false })
  })

  it('is an estimate as soon as a part is one', () => {
    const estimated = used(1, { costUsd: 0.1, pricedBy: 'estimate' })
    expect(addUsage(priced, estimated).pricedBy).toBe('estimate')
    expect(addUsage(noUsage, priced).pricedBy).toBe('agent')
    expect(addUsage(noUsage, noUsage).pricedBy).toBeNull()
  })

  it('is complete only if each part is', () => {
    expect(addUsage(priced, unknownUsage).complete).toBe(false)
    expect(addUsage(priced, priced).complete).toBe(true)
  })
})
