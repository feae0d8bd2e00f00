import { describe, expect, it } from 'vitest'
import { formatCause } from '../../src/shared/records/causes.ts'
import { dayOf, momentOf } from '../../src/shared/text/format-time.ts'

describe('how a moment reads in a message', () => {
  // In the time zone that the test runs in.
  const at = new Date(2025, 10, 3, 14, 5, 9).toISOString()

  it('with its day, and its time where that matters', () => {
    expect(momentOf(at)).toBe('Nov 3, 2025, 14:05')
    expect(dayOf(at, new Date(2025, 11, 1).getTime())).toBe('Nov 3')
    expect(dayOf(at, new Date(2026, 11, 1).getTime())).toBe('Nov 3, 2025')
  })

  it('says of what is no moment that it is not known', () => {
    expect(momentOf('soon')).toBe('an unknown time')
    expect(dayOf('soon')).toBe('an unknown day')
  })

  it('tells a person when a quota ends in their own time, and an agent in one that has a time zone', () => {
    const cause = { kind: 'quota', untilMs: Date.parse(at), detail: 'try later (429)' } as const
    expect(formatCause(cause)).toBe('the quota is spent until Nov 3, 2025, 14:05: try later (429)')
    expect(formatCause(cause, { reader: 'agent' })).toBe(
      `the quota is spent until ${at}: try later (429)`,
    )
  })
})
