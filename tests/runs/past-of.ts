/** A past made of entries: what a run goes on from, without a session on the disk. */
import { historyOf, type PastSession } from '../../src/main/runs/past.ts'
import type { SessionHistory } from '../../src/shared/agents/driver/agent-place.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../src/shared/projections/session/session-state.ts'
import type { Entry } from '../../src/shared/records/entries.ts'

export const stateIn = (entries: Entry[]): SessionState =>
  entries.reduce(foldSessionState, emptySessionState())

export function pastOf(entries: Entry[]): PastSession {
  const state = stateIn(entries)
  return {
    state,
    throughSeq: state.seq,
    async *entries(fromSeq) {
      yield* entries.filter(({ seq }) => seq >= fromSeq)
    },
    entry: async (seq) => entries.find((entry) => entry.seq === seq) ?? null,
    blob: async () => null,
  }
}

/** The history that an agent is given of sessions with these entries, the oldest first. */
export const historyIn = (...sessions: Entry[][]): SessionHistory => historyOf(sessions.map(pastOf))

export async function allOf(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}
