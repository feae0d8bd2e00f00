import { describe, expect, it } from 'vitest'
import { lastActionOf } from '../../../src/shared/projections/transcript/last-action.ts'
import { broken, leadEnded, leadLive } from '../../fixtures/entries/conversations.ts'

describe('what an agent was doing last', () => {
  it('is what the unfinished message was at', () => {
    const { entries, partial } = leadLive()
    expect(lastActionOf({ entries, partial: partial ?? null })).toMatch(/^running node --test/)
  })

  it('is the result of an ended call, and empty if there is none', () => {
    expect(lastActionOf({ entries: leadEnded(), partial: null })).not.toBeNull()
    expect(lastActionOf({ entries: [], partial: null })).toBeNull()
    expect(lastActionOf({ entries: broken().entries, partial: null })).not.toMatch(/\n/)
  })
})
