/** Finds the sessions that a session may continue from: some tools continue a session in a new file. */
import { join } from 'node:path'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { transcriptsDir } from '../artifacts/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import type { EarlierTranscripts } from './stage/earlier-sessions.ts'

/** Limit of earlier sessions searched per conversation, newest first. Few conversations are continued as often. */
const earlierMax = 50

export interface EarlierSessions {
  /**
   * Returns the roots of the imported sessions with the same first message, and of those that the first lines name,
   * without deleted ones, in the order of the ledger.
   */
  tasksBefore(session: FoundSession): Task[]
  /** Returns the transcripts of these sessions. */
  transcriptsBefore(session: FoundSession): EarlierTranscripts[]
}

/** Keeps an index, because each of thousands of sessions is looked up among all tasks of the ledger. */
export function createEarlierSessions({
  ledger,
  layout,
}: {
  ledger: Pick<Ledger, 'state' | 'subscribe'>
  layout: Pick<DataLayout, 'archiveDir'>
}): EarlierSessions {
  const { state } = ledger
  /** The position of each imported root in the ledger. */
  const positions = new Map<TaskId, number>()
  /** Roots by tool and first message, and by tool and name of the session. */
  const byKey = new Map<string, Set<TaskId>>()

  function add({ id, importedFrom: from }: Task): void {
    if (!from) return
    if (!positions.has(id)) positions.set(id, positions.size)
    const keys = [nameKey(from.tool, from.originalId)]
    if (from.opening !== undefined) keys.push(openingKey(from.tool, from.opening))
    for (const key of keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(id))
  }

  for (const task of state.tasks.values()) add(task)
  ledger.subscribe((records) => {
    for (const { event } of records)
      if (event.type === 'tasks.imported')
        for (const { id } of event.tasks) {
          const task = state.tasks.get(id)
          if (task) add(task)
        }
  })

  function tasksBefore({ tool, key, opening, namedEarlier = [] }: FoundSession): Task[] {
    const keys = namedEarlier.map((name) => nameKey(tool, name))
    if (opening !== undefined) keys.push(openingKey(tool, opening))
    const ids = new Set(keys.flatMap((one) => [...(byKey.get(one) ?? [])]))
    const found = [...ids]
      .sort((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0))
      .flatMap((id) => state.tasks.get(id) ?? [])
      .filter(({ importedFrom: from, trashed, purged }) => {
        if (!from || from.originalId === key || trashed || purged) return false
        // A later import of the same session may have another first message.
        return from.opening === opening || namedEarlier.includes(from.originalId)
      })
    return found.slice(-earlierMax)
  }

  function transcriptsBefore(session: FoundSession): EarlierTranscripts[] {
    const { namedEarlier = [] } = session
    return tasksBefore(session).map(({ id, importedFrom }) => {
      const dir = layout.archiveDir(id)
      const agents = descendantsOf(state, id).filter(({ hasTranscript }) => hasTranscript)
      return {
        taskId: id,
        own: join(dir, chatFile),
        isNamed: namedEarlier.includes(importedFrom?.originalId ?? ''),
        subAgents: agents.map((agent) => join(dir, transcriptsDir, agent.id, chatFile)),
      }
    })
  }

  return { tasksBefore, transcriptsBefore }
}

const nameKey = (tool: string, name: string): string => `${tool} session ${name}`
const openingKey = (tool: string, opening: string): string => `${tool} opening ${opening}`

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
