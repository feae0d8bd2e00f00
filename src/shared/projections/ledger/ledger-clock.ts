/**
 * Detects a clock that leapt ahead, from the times of the ledger's records. Such a clock makes everything look old, so
 * nothing may be deleted because of its age without confirmation. Pure.
 */
import { dayMs } from '../../durations.ts'
import type { LedgerRecord } from '../../records/ledger.ts'

/**
 * A longer gap needs confirmation. A shorter leap goes unnoticed: what it expires is still in the trash, and what it makes
 * due there waits for a second look on another day (`src/main/retention/second-look.ts`).
 */
export const clockLeapDaysMax = 21

export interface LedgerClock {
  /** `at` of the last record; null: there is none. Milliseconds since the epoch. */
  lastAtMs: number | null
  /**
   * `at` of the last record before the clock leapt ahead, until a user confirms the clock or it goes back: records with
   * a wrong time must not confirm it. Null: it did not leap.
   */
  leapFromMs: number | null
}

export const unknownClock: LedgerClock = { lastAtMs: null, leapFromMs: null }

export function foldClock(clock: LedgerClock, { at, event }: LedgerRecord): LedgerClock {
  if (event.type === 'clock.confirmed') return { lastAtMs: at, leapFromMs: null }
  return { lastAtMs: at, leapFromMs: clockAhead(clock, at)?.newestAtMs ?? null }
}

/** Returns how far `nowMs` is past the newest reliable record; null if the gap is normal. */
export function clockAhead(
  { lastAtMs, leapFromMs }: LedgerClock,
  nowMs: number,
): { days: number; newestAtMs: number } | null {
  const newestAtMs = leapFromMs ?? lastAtMs
  if (newestAtMs === null || nowMs - newestAtMs <= clockLeapDaysMax * dayMs) return null
  return { days: Math.floor((nowMs - newestAtMs) / dayMs), newestAtMs }
}
