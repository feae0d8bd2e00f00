import { describe, expect, it } from 'vitest'
import { lastActOf } from '../../src/renderer/components/conversation/last-act.ts'
import { broken, leadEnded, leadLive } from '../fixtures/entries/conversations.ts'

describe('what an agent was doing last', () => {
  it('is what the unfinished message was at', () => {
    const { entries, partial } = leadLive()
    expect(lastActOf({ entries, partial: partial ?? null })).toMatch(/^running node --test/)
  })

  it('is what a call came to once it was over, and nothing where nothing was said', () => {
    expect(lastActOf({ entries: leadEnded(), partial: null })).not.toBeNull()
    expect(lastActOf({ entries: [], partial: null })).toBeNull()
    expect(lastActOf({ entries: broken().entries, partial: null })).not.toMatch(/\n/)
  })
})
