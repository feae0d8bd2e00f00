/** Tests that `npm test` leaves to `npm run test:soak`: long ones whose core is tested there as well. */
import { it } from 'vitest'

export const isSoak = process.env.SHIPLOG_SOAK !== undefined

type Test = () => Promise<void> | void

/**
 * As `it`, in the soak and for mutants only: `npm test` neither runs nor counts it. `scripts/soak.mjs` finds
 * its files by their import of this one.
 */
export const itInSoak = (
  isSoak || process.env.SHIPLOG_LONG_TESTS !== undefined ? it : () => {}
) as {
  (title: string, test: Test, timeoutMs?: number): void
  (title: string, options: { timeout: number }, test: Test): void
}

/** The cases of a table: in `npm test` one of each kind, in the soak and for mutants all. */
export const casesOf = <Case>(all: readonly Case[], isCore: (one: Case) => boolean): Case[] =>
  isSoak || process.env.SHIPLOG_LONG_TESTS !== undefined ? [...all] : all.filter(isCore)
