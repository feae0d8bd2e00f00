/** The part of a session's state that is stored for many of its entries. */
import type { Entry } from '../../records/entries.ts'
import { foldSessionState } from './fold-session.ts'
import { emptySessionState, type SessionState } from './session-state.ts'

/**
 * The fields of the state that a viewer shows. Small enough to be stored for hundreds of entries, and complete: the
 * later values of these fields depend on no other field.
 */
export type BriefState = Pick<
  SessionState,
  'seq' | 'forkDepth' | 'at' | 'place' | 'lastTurn' | 'run' | 'model' | 'usage'
>

export function briefOf(state: SessionState): BriefState {
  const { seq, forkDepth, at, place, lastTurn, run, model, usage } = state
  return { seq, forkDepth, at, place, lastTurn, run, model, usage }
}

/** Folds the entries that follow a brief state, in file order; null: the state before the first entry. */
export function foldFromBrief(brief: BriefState | null, entries: Iterable<Entry>): BriefState {
  const state = { ...emptySessionState(), ...brief }
  for (const entry of entries) foldSessionState(state, entry)
  return briefOf(state)
}
