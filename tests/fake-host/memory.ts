/** What the fake host holds: records and the state they fold to, sessions, who listens, and what was asked of it. */

import { createFeedQueue } from '../../src/shared/async/feed-queue.ts'
import type { LedgerFeedEvent, SessionFeedEvent } from '../../src/shared/contract/feed.ts'
import type { Damage } from '../../src/shared/contract/workspace.ts'
import { FailureError } from '../../src/shared/failure.ts'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import { newEntryId, type ProjectId, resolveId, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../src/shared/records/ledger.ts'
import { entryVersion } from '../../src/shared/records/parse-entry.ts'
import type { Project } from '../../src/shared/records/projects/projects.ts'
import type { Activity } from '../../src/shared/records/tasks/activity.ts'
import { isRunning, isSettled } from '../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { createImages } from './images.ts'
import type { FakeHostOptions } from './options.ts'

interface FakeSession {
  entries: Entry[]
  partial: PartialMessage | null
  damage: Damage[]
}

export type Memory = ReturnType<typeof createMemory>

export function createMemory(options: FakeHostOptions) {
  const { dataDir = '/data', nowMs } = options
  const state = emptyLedgerState(dataDir)
  for (const record of options.records ?? []) foldLedgerRecord(state, record)
  const sessions = new Map<TaskId, FakeSession>()
  /** Markdown, by task. */
  const reports = new Map(Object.entries(options.reports ?? {}) as [TaskId, string][])
  const images = createImages()
  for (const [sha256, image] of Object.entries(options.images ?? {})) images.kept.set(sha256, image)
  const activity: Record<TaskId, Activity | null> = { ...options.activity }
  const ledgerListeners = new Set<(event: LedgerFeedEvent) => void>()
  const sessionListeners = new Map<TaskId, Set<(event: SessionFeedEvent) => void>>()
  const calls: { path: string; input: unknown }[] = []
  let clockMs = nowMs ?? Date.parse('2026-11-21T08:00:00Z')
  let recorded = Promise.withResolvers<void>()

  for (const [id, session] of Object.entries(options.sessions ?? {}))
    sessions.set(id as TaskId, {
      partial: null,
      damage: [],
      ...session,
      entries: [...session.entries],
    })

  /** A second after the last time, unless the clock stands still. */
  function tick(): number {
    if (nowMs === undefined) clockMs += 1_000
    return clockMs
  }

  function record(...events: LedgerEvent[]): void {
    const records = events.map((event): LedgerRecord => {
      const one = { seq: state.seq + 1, at: tick(), event }
      foldLedgerRecord(state, one)
      return one
    })
    if (records.length > 0) tellLedger({ type: 'records', records })
    recorded.resolve()
    recorded = Promise.withResolvers()
  }

  function tellLedger(event: LedgerFeedEvent): void {
    for (const listener of ledgerListeners) listener(event)
  }

  function setActivity(changed: Record<TaskId, Activity | null>): void {
    Object.assign(activity, changed)
    tellLedger({ type: 'activity', activity: changed })
  }

  function sessionOf(id: TaskId): FakeSession {
    const known = sessions.get(id)
    if (known) return known
    const session: FakeSession = { entries: [], partial: null, damage: [] }
    sessions.set(id, session)
    return session
  }

  function append(id: TaskId, ...bodies: EntryBody[]): Entry[] {
    const { entries: before } = sessionOf(id)
    const entries = bodies.map((body, index): Entry => {
      const seq = before.length + 1 + index
      const stamp = { v: entryVersion, seq, at: tick(), parentUuid: null }
      return { ...stamp, ...body, uuid: body.uuid ?? newEntryId() } as Entry
    })
    appendEntries(id, entries)
    return entries
  }

  function appendEntries(id: TaskId, entries: Entry[]): void {
    const session = sessionOf(id)
    session.entries.push(...entries)
    // A message that is durable is in progress no more.
    if (entries.some(({ uuid }) => uuid === session.partial?.uuid)) session.partial = null
    tellSession(id, { type: 'entries', entries })
  }

  /** What is no entry: the message in progress as it is written, or that no more will come. */
  function stream(id: TaskId, event: Exclude<SessionFeedEvent, { type: 'entries' }>): void {
    const session = sessionOf(id)
    if (event.type === 'partial') session.partial = event.partial
    if (event.type === 'delta' && session.partial)
      session.partial = { ...session.partial, parts: withDelta(session.partial.parts, event) }
    tellSession(id, event)
  }

  function tellSession(id: TaskId, event: SessionFeedEvent): void {
    for (const listener of sessionListeners.get(id) ?? []) listener(event)
  }

  /** Throws FailureError. */
  function find(text: string, what: 'task' | 'workspace' = 'task'): Task {
    const found = resolveId(text, state.tasks.keys())
    if (found.kind === 'ambiguous')
      throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
    const task = found.kind === 'found' ? state.tasks.get(found.id) : undefined
    if (!task) throw new FailureError({ kind: 'not-found', what, id: text })
    return task
  }

  /** Throws FailureError. */
  function project(id: ProjectId): Project {
    const known = state.projects.get(id)
    if (!known) throw new FailureError({ kind: 'not-found', what: 'project', id })
    return known
  }

  /** It runs, or has its turn yet to come: one in the queue of a root that has stopped never begins by itself. */
  function isActive(id: TaskId): boolean {
    const task = state.tasks.get(id)
    if (!task) return false
    const root = state.tasks.get(task.rootId)
    return (
      isRunning(task.status) || (task.status === 'queued' && !isSettled(root?.status ?? 'queued'))
    )
  }

  return {
    images,
    given: { ...options },
    state,
    reports,
    activity,
    ledgerListeners,
    sessionListeners,
    calls,
    now: () => clockMs,
    /** Resolves once something was recorded. */
    change: () => recorded.promise,
    record,
    setActivity,
    sessionOf,
    append,
    appendEntries,
    stream,
    find,
    project,
    isActive,
  }
}

/** First what `first` gives, then every event after it, until the signal is aborted or `isLast` has come. */
export async function* follow<Event>(
  listeners: Set<(event: Event) => void>,
  signal: AbortSignal | undefined,
  first: () => Event[],
  isLast: (event: Event) => boolean = () => false,
): AsyncGenerator<Event> {
  const pending = createFeedQueue<Event>({ signal })
  const listener = (event: Event) => pending.put(event)
  listeners.add(listener)
  try {
    for (const event of first()) {
      yield event
      if (isLast(event)) return
    }
    while (!signal?.aborted) {
      const event = pending.take()
      if (event === undefined) {
        await pending.wait()
        continue
      }
      yield event
      if (isLast(event)) return
    }
  } finally {
    listeners.delete(listener)
  }
}

function withDelta(
  parts: PartialMessage['parts'],
  { part, partType, text }: Extract<SessionFeedEvent, { type: 'delta' }>,
): PartialMessage['parts'] {
  if (part >= parts.length) return [...parts, { type: partType, text }]
  return parts.map((one, at) =>
    at === part && 'text' in one ? { ...one, text: one.text + text } : one,
  )
}
