/**
 * The history that a run continues: the sessions of the tasks that its own continues, oldest first, and its own as it
 * was before the run. Queries are answered from their states (G9); their entries are read on demand.
 */

import type { AgentSpec } from '../../shared/agents/agent-specs.ts'
import type { SessionHistory } from '../../shared/agents/driver/agent-place.ts'
import type { SessionState } from '../../shared/projections/session/session-state.ts'
import { repairHistory } from '../../shared/projections/transcript/repair-history.ts'
import type { Entry } from '../../shared/records/entries.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import type { Session } from '../sessions/session.ts'

/** One session, up to the entry at which the run continues. */
export interface PastSession {
  /** The agent of the session; absent if it is that of the run. */
  spec?: AgentSpec
  /** Later entries change this object: callers copy values that must not change before they await. */
  state: SessionState
  throughSeq: number
  /** Yields the entries from `fromSeq` through `throughSeq`. */
  entries(fromSeq: number): AsyncIterable<Entry>
  /** Resolves with null if the entry can't be read. */
  entry(seq: number): Promise<Entry | null>
  /** Returns a file of its `blobs/`, or null if it is no longer kept. */
  blob(sha256: string): Promise<Uint8Array | null>
}

/** Returns the run's own session, up to its present last entry. */
export async function pastOfSession(session: Session): Promise<PastSession> {
  const state = await session.state()
  const throughSeq = state.seq
  return {
    state,
    throughSeq,
    async *entries(fromSeq) {
      for await (const entry of session.entries({ fromSeq })) {
        if (entry.seq > throughSeq) return
        yield entry
      }
    },
    async entry(seq) {
      const [record] = (await session.page({ fromSeq: seq, limit: 1 })).records
      return record?.seq === seq ? parseEntry(record) : null
    },
    blob: session.readBlob,
  }
}

/**
 * Returns the sessions that the agent continues. A scripted agent continues only those of the same script, because it
 * counts the turns that it has played.
 */
export function continuedBy(spec: AgentSpec, past: readonly PastSession[]): readonly PastSession[] {
  if (spec.kind !== 'scripted') return past
  return past.filter(
    ({ spec: other = spec }) =>
      other.kind === 'scripted' && other.scenario === spec.scenario && other.agent === spec.agent,
  )
}

/** Returns the history for the agent, as it is now. */
export function historyOf(past: readonly PastSession[]): SessionHistory {
  const newestFirst = past.toReversed()
  const completedTurns = past.reduce((sum, { state }) => sum + state.completed.turns, 0)
  const failed = firstOf(newestFirst, ({ state }) => state.runEnd)?.status === 'failed'
  const prompt = firstOf(newestFirst, (one) => place(one, one.state.prompt?.seq))
  const result = firstOf(upToLastCompleted(newestFirst), (one, index) =>
    place(one, index === 0 ? one.state.completed.resultSeq : one.state.resultSeq),
  )
  const whole = past.map((one) => part(one, 1))
  const lastCompleted = past.findLastIndex(({ state }) => state.completed.turns > 0)
  const unfinished = past
    .slice(Math.max(0, lastCompleted))
    .map((one, index) => part(one, index === 0 ? one.state.completed.seq + 1 : 1))
  return {
    completedTurns,
    failed,
    async prompt() {
      const entry = await prompt?.read()
      return entry?.type === 'message' ? entry : null
    },
    async lastResult() {
      const entry = await result?.read()
      return entry?.type === 'tool-result' ? entry : null
    },
    entries: (of = 'all') => repaired(of === 'all' ? whole : unfinished),
    async image(sha256) {
      for (const one of newestFirst) {
        const data = await one.blob(sha256)
        if (data) return data
      }
      return null
    },
  }
}

/** Drops the sessions after the one with the last complete turn; empty if no turn is complete. */
function upToLastCompleted(newestFirst: readonly PastSession[]): readonly PastSession[] {
  const last = newestFirst.findIndex(({ state }) => state.completed.turns > 0)
  return last === -1 ? [] : newestFirst.slice(last)
}

interface Part {
  past: PastSession
  fromSeq: number
  unanswered: ReadonlySet<number>
}

const part = (past: PastSession, fromSeq: number): Part => ({
  past,
  fromSeq,
  unanswered: new Set([...past.state.openCalls.values()].map(({ seq }) => seq)),
})

async function* repaired(parts: readonly Part[]): AsyncGenerator<Entry> {
  for (const { past, fromSeq, unanswered } of parts)
    yield* repairHistory(past.entries(fromSeq), unanswered)
}

const place = (past: PastSession, seq: number | undefined) =>
  seq ? { read: () => past.entry(seq) } : null

export function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | null,
): Found | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== null) return found
  }
  return null
}
