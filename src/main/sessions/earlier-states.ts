/**
 * Brief states of a session at intervals, stored in its checkpoint: the state as of any entry is
 * then folded from the nearest one before it instead of from the first entry (G9).
 */
import { type BriefState, briefOf } from '../../shared/projections/session/brief-state.ts'
import type { SessionState } from '../../shared/projections/session/session-state.ts'

/** Entries between two states: a few milliseconds of folding. */
export const earlierStatesEvery = 500
/** About 300 bytes of JSON each. Beyond this number, every second one is removed. */
export const earlierStatesMax = 400

/** Appends the current state to `earlier`, in place, if it is far enough from the last one. */
export function addEarlierState(earlier: BriefState[], state: SessionState): void {
  const last = earlier.at(-1)?.seq ?? 0
  // Removing every second one doubles the average distance, and with it that of the next ones.
  const distance = Math.max(earlierStatesEvery, Math.floor(last / Math.max(1, earlier.length)))
  if (state.seq - last < distance) return
  earlier.push(briefOf(state))
  if (earlier.length <= earlierStatesMax) return
  const kept = earlier.filter((_, index) => index % 2 === 1)
  earlier.splice(0, earlier.length, ...kept)
}

/** Returns the last one at or before the entry `seq`; null if there is none. */
export const earlierStateAt = (earlier: readonly BriefState[], seq: number): BriefState | null =>
  earlier.findLast((brief) => brief.seq <= seq) ?? null
