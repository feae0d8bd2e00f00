/** Finds the sessions that a session may continue from: some tools continue a session in a new file. */
import { join } from 'node:path'
import { descendantsOf, type LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { transcriptsDir } from '../artifacts/index.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import type { EarlierTranscripts } from './stage/earlier-sessions.ts'

/** Limit of earlier sessions searched per conversation, newest first. Few conversations are continued as often. */
const earlierMax = 50

/** Returns the imported sessions with the same first message, and those that the first lines name. */
export function earlierSessions(
  state: LedgerState,
  layout: Pick<DataLayout, 'archiveDir'>,
  session: FoundSession,
): EarlierTranscripts[] {
  const { namedEarlier = [] } = session
  return earlierTasks(state, session).map(({ id, importedFrom }) => {
    const dir = layout.archiveDir(id)
    const agents = descendantsOf(state, id).filter(({ hasTranscript }) => hasTranscript)
    return {
      ...{ taskId: id, own: join(dir, chatFile) },
      isNamed: namedEarlier.includes(importedFrom?.originalId ?? ''),
      subAgents: agents.map((agent) => join(dir, transcriptsDir, agent.id, chatFile)),
    }
  })
}

/** The roots of those sessions, without deleted ones, in the order of the ledger. */
export function earlierTasks(
  state: LedgerState,
  { tool, key, opening, namedEarlier = [] }: FoundSession,
): Task[] {
  if (opening === undefined && namedEarlier.length === 0) return []
  const found = [...state.tasks.values()].filter(({ importedFrom: from, trashed, purged }) => {
    if (from?.tool !== tool || from.originalId === key || trashed || purged) return false
    const isSameConversation = opening !== undefined && from.opening === opening
    return isSameConversation || namedEarlier.includes(from.originalId)
  })
  return found.slice(-earlierMax)
}

/** Moves sessions before those that continue from them, and otherwise preserves the order. */
export function earlierFirst(sessions: readonly FoundSession[]): FoundSession[] {
  const byOpening = Map.groupBy(
    sessions.filter(({ opening }) => opening !== undefined),
    ({ opening }) => opening,
  )
  const byKey = new Map(sessions.map((session) => [session.key, session]))
  const lastOf = ({ files: [own] }: FoundSession) => own?.mtimeMs ?? 0
  const sorted = new Set<FoundSession>()
  const visited = new Set<FoundSession>()
  const add = (session: FoundSession): void => {
    if (visited.has(session)) return
    visited.add(session)
    const family = byOpening.get(session.opening) ?? []
    // The file with more of the conversation was written last.
    for (const one of family.filter((other) => lastOf(other) < lastOf(session))) add(one)
    for (const name of session.namedEarlier ?? []) {
      const named = byKey.get(name)
      if (named) add(named)
    }
    sorted.add(session)
  }
  for (const session of sessions) add(session)
  return [...sorted]
}

/** Whether a session may continue from the other one. */
export const continuesFrom = (session: FoundSession, other: FoundSession): boolean =>
  (session.opening !== undefined && session.opening === other.opening) ||
  (session.namedEarlier ?? []).includes(other.key)
