/** What the fake world holds: records and the state they fold to, sessions, and what was asked of it. */
import type { SessionFeedEvent } from '../../../src/shared/contract/feed.ts'
import type { Damage } from '../../../src/shared/contract/workspace.ts'
import type { Entry, EntryBody } from '../../../src/shared/entries.ts'
import { newEntryId, type ProjectId, resolveId, type TaskId } from '../../../src/shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../src/shared/ledger.ts'
import { emptyLedgerState, foldLedgerRecord } from '../../../src/shared/projections/ledger-state.ts'
import type { Report } from '../../../src/shared/tasks.ts'

export const startedAt = Date.parse('2026-11-21T08:00:00Z')

interface Session {
  entries: Entry[]
  archived: boolean
  partial: Extract<SessionFeedEvent, { type: 'partial' }>['partial']
}

export type Memory = ReturnType<typeof createMemory>

export function createMemory() {
  const state = emptyLedgerState('/data')
  const records: LedgerRecord[] = []
  const sessions = new Map<TaskId, Session>()
  const reports = new Map<TaskId, Report>()
  /** What a project brings whose folder says so. */
  const brought = { setup: 'npm ci', copy: [] as string[] }
  const setups = new Map<ProjectId, { setup: string; sha256: string }>()
  const sessionEvents = new Map<TaskId, SessionFeedEvent[]>()
  const endpoints: (string | null)[] = []
  const calls: { name: string; input: unknown }[] = []
  const damage: Damage[] = []
  /** Those that changed no files. */
  const unchanged = new Set<TaskId>()
  /** Sub-agents that no restore of their root brings back. */
  const unrestorable = new Set<TaskId>()
  let wake = Promise.withResolvers<void>()

  function notify(): void {
    const { resolve } = wake
    wake = Promise.withResolvers()
    resolve()
  }

  function record(...events: LedgerEvent[]): void {
    for (const event of events) {
      const seq = records.length + 1
      const one = { seq, at: startedAt + seq * 1000, event }
      records.push(one)
      foldLedgerRecord(state, one)
    }
    notify()
  }

  function openSession(taskId: TaskId): void {
    sessions.set(taskId, { entries: [], archived: false, partial: null })
    sessionEvents.set(taskId, [])
  }

  function append(taskId: TaskId, ...bodies: EntryBody[]): Entry[] {
    const session = sessionOf(taskId)
    const entries = bodies.map((body, index) => {
      const seq = session.entries.length + 1 + index
      const stamp = { v: 1, seq, at: startedAt + seq * 1000, uuid: newEntryId(), parentUuid: null }
      return { ...stamp, ...body } as Entry
    })
    session.entries.push(...entries)
    sessionEvents.get(taskId)?.push({ type: 'entries', entries })
    notify()
    return entries
  }

  /** An event that is no entry: text as it streams. */
  function stream(taskId: TaskId, event: SessionFeedEvent): void {
    sessionEvents.get(taskId)?.push(event)
    notify()
  }

  const runOf = (taskId: TaskId): number => state.tasks.get(taskId)?.runs.at(-1)?.run ?? 1

  function projectOf(taskId: TaskId): ProjectId {
    const task = state.tasks.get(taskId)
    if (!task) throw new Error(`the fake has no task ${taskId}`)
    return task.projectId
  }

  function sessionOf(taskId: TaskId): Session {
    const session = sessions.get(taskId)
    if (!session) throw new Error(`the fake has no session ${taskId}`)
    return session
  }

  function project(id: ProjectId) {
    const known = state.projects.get(id)
    if (!known) throw new Error(`the fake has no project ${id}`)
    return known
  }

  /** Throws the contract's error for an id that names none, or several. */
  function find(text: string, errors: Errors): TaskId {
    const found = resolveId(text, state.tasks.keys())
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') {
      throw errors.NOT_FOUND({ message: `no task ${text}`, data: { what: 'task', id: text } })
    }
    const { candidates } = found
    throw errors.AMBIGUOUS({
      message: `${text} stands for more than one task`,
      data: { what: 'task', id: text, candidates },
    })
  }

  return {
    state,
    records,
    reports,
    setups,
    brought,
    sessionEvents,
    endpoints,
    calls,
    damage,
    unrestorable,
    unchanged,
    /** Resolves once something happened. */
    change: () => wake.promise,
    notify,
    record,
    openSession,
    append,
    stream,
    runOf,
    projectOf,
    sessionOf,
    project,
    find,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each procedure has its own constructors of the same errors
type Errors = any
