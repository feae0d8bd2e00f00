/** What the fake host holds: records and the state they fold to, sessions, who listens, and what was asked. */
import { ORPCError } from '@orpc/client'
import type { LedgerFeedEvent, SessionFeedEvent } from '../../../src/shared/contract/feed.ts'
import {
  type Entry,
  type EntryBody,
  entryVersion,
  type PartialMessage,
} from '../../../src/shared/entries.ts'
import { newEntryId, type TaskId } from '../../../src/shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../src/shared/ledger.ts'
import { emptyLedgerState, foldLedgerRecord } from '../../../src/shared/projections/ledger-state.ts'
import type { Report } from '../../../src/shared/tasks.ts'

interface FakeSession {
  entries: Entry[]
  partial: PartialMessage | null
  archived: boolean
}

export const dataDir = '/data/shiplog'

export type Memory = ReturnType<typeof createMemory>

export function createMemory() {
  const ledger = emptyLedgerState(dataDir)
  const sessions = new Map<TaskId, FakeSession>()
  const reports = new Map<TaskId, Report>()
  const ledgerListeners = new Set<(event: LedgerFeedEvent) => void>()
  const sessionListeners = new Map<TaskId, Set<(event: SessionFeedEvent) => void>>()
  const calls: { path: string; input: unknown }[] = []
  let now = Date.parse('2026-11-20T09:00:00Z')
  const tick = (): number => {
    now += 400
    return now
  }

  function record(...events: LedgerEvent[]): void {
    const records: LedgerRecord[] = events.map((event, index) => ({
      seq: ledger.seq + 1 + index,
      at: tick(),
      event,
    }))
    for (const each of records) foldLedgerRecord(ledger, each)
    for (const listener of ledgerListeners) listener({ type: 'records', records })
  }

  function sessionOf(id: TaskId): FakeSession {
    const known = sessions.get(id)
    if (known) return known
    const session: FakeSession = { entries: [], partial: null, archived: false }
    sessions.set(id, session)
    return session
  }

  function publish(id: TaskId, event: SessionFeedEvent): void {
    for (const listener of sessionListeners.get(id) ?? []) listener(event)
  }

  function append(id: TaskId, ...bodies: EntryBody[]): Entry[] {
    const session = sessionOf(id)
    const entries = bodies.map((body, index) => {
      const seq = session.entries.length + 1 + index
      const uuid = body.uuid ?? newEntryId()
      return { v: entryVersion, seq, at: tick(), parentUuid: null, ...body, uuid } as Entry
    })
    session.entries.push(...entries)
    publish(id, { type: 'entries', entries })
    return entries
  }

  const taskIdOf = (text: string): TaskId => {
    const task = [...ledger.tasks.keys()].find((id) => id.startsWith(text))
    if (!task)
      throw new ORPCError('NOT_FOUND', {
        message: `There is no task ${text}.`,
        data: { what: 'task', id: text },
        defined: true,
      })
    return task
  }

  return {
    ledger,
    reports,
    ledgerListeners,
    sessionListeners,
    calls,
    now: () => now,
    record,
    sessionOf,
    publish,
    append,
    taskIdOf,
  }
}
