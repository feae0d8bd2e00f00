import { describe, expect, it } from 'vitest'
import { formatCause } from '../../../src/shared/records/causes.ts'
import { dayOf, momentOf } from '../../../src/shared/text/format-time.ts'

describe('a time in a message', () => {
  // In the time zone that the test runs in.
  const at = new Date(2025, 10, 3, 14, 5, 9).toISOString()

  it('has a day, and a time of day if it matters', () => {
    expect(momentOf(at)).toBe('Nov 3, 2025, 14:05')
    expect(dayOf(at, new Date(2025, 11, 1).getTime())).toBe('Nov 3')
    expect(dayOf(at, new Date(2026, 11, 1).getTime())).toBe('Nov 3, 2025')
  })

  it('says that an invalid time is unknown', () => {
    expect(momentOf('soon')).toBe('an unknown time')
    expect(dayOf('soon')).toBe('an unknown day')
  })

  it('states the end of a quota to a user in local time, and to an agent with a time zone', () => {
    const cause = { kind: 'quota', untilMs: Date.parse(at), detail: 'try later (429)' } as const
    expect(formatCause(cause)).toBe('the quota is spent until Nov 3, 2025, 14:05: try later (429)')
    expect(formatCause(cause, { reader: 'agent' })).toBe(
      `the quota is spent until ${at}: try later (429)`,
    )
  })
})
