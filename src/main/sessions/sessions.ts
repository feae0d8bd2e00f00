/** The sessions that are being written right now, and who listens to them. */

import { publishTo } from '../../shared/publish.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { openSession, type Session, type SessionEvent, SessionMissingError } from './session.ts'

/** `seq`: of its newest entry; null: it was archived. */
interface SessionChange {
  id: TaskId
  seq: number | null
}

export interface Sessions {
  /**
   * Opens it, or gives the one that is open already. Each `open` needs a `close` of its own. `mustExist`: throws
   * SessionMissingError rather than begin a transcript.
   */
  open(id: TaskId, dir: string, options?: { mustExist?: boolean }): Promise<Session>
  close(id: TaskId): Promise<void>
  /** The open one; null when nothing writes it. */
  current(id: TaskId): Session | null
  /** Hears what happens to the session, whether it is open now or later. Returns what ends it. */
  subscribe(id: TaskId, listener: (event: SessionEvent) => void): () => void
  /** Hears of every session that grew, or was archived. Returns what ends it. */
  subscribeAll(listener: (change: SessionChange) => void): () => void
  /** Tells listeners that the session was archived. */
  ended(id: TaskId): void
}

/**
 * `onOpened`: told of each session that was opened for writing, with what that healed and found damaged.
 * `onListenerError` receives what a listener throws; the entry that it was called with stands.
 */
export function createSessions({
  onOpened = () => {},
  onListenerError = () => {},
  prepare,
  isDisplaced,
  onIgnored,
}: {
  onOpened?: (session: Session) => void
  onListenerError?: (error: unknown) => void
  /** What becomes of an entry before it is written. */
  prepare?: (body: EntryBody) => EntryBody
  /** Whether another process has the lease now: then nothing more is written. */
  isDisplaced?: () => boolean
  /** A failure that stops nothing. */
  onIgnored?: (what: string, error: unknown) => void
} = {}): Sessions {
  const open = new Map<
    TaskId,
    { session: Promise<Session>; users: number; ready: Session | null; mustExist: boolean }
  >()
  const listeners = new Map<TaskId, Set<(event: SessionEvent) => void>>()

  const ofAll = new Set<(change: SessionChange) => void>()

  const publish = (id: TaskId) => (event: SessionEvent) => {
    const seq = event.type === 'entries' ? event.entries.at(-1)?.seq : null
    if (event.type === 'ended' || seq) publishTo(ofAll, { id, seq: seq ?? null }, onListenerError)
    publishTo(listeners.get(id) ?? [], event, onListenerError)
  }

  return {
    async open(id, dir, { mustExist = false } = {}) {
      for (;;) {
        let held = open.get(id)
        if (!held) {
          const session = openSession(id, dir, publish(id), {
            prepare,
            mustExist,
            isDisplaced,
            onIgnored,
          })
          held = { session, users: 0, ready: null, mustExist }
          open.set(id, held)
        }
        held.users++
        try {
          const session = await held.session
          if (!held.ready) onOpened(session)
          held.ready = session
          return session
        } catch (error) {
          if (open.get(id) === held) open.delete(id)
          // Another caller asked for one that exists; this one may begin it.
          const isOthers = held.mustExist && !mustExist && error instanceof SessionMissingError
          if (!isOthers) throw error
        }
      }
    },
    async close(id) {
      const held = open.get(id)
      if (!held || --held.users > 0) return
      open.delete(id)
      await (await held.session).close()
    },
    current: (id) => open.get(id)?.ready ?? null,
    subscribe(id, listener) {
      const ofSession = listeners.get(id) ?? new Set()
      listeners.set(id, ofSession.add(listener))
      return () => {
        ofSession.delete(listener)
        if (ofSession.size === 0 && listeners.get(id) === ofSession) listeners.delete(id)
      }
    },
    subscribeAll(listener) {
      ofAll.add(listener)
      return () => void ofAll.delete(listener)
    },
    ended: (id) => publish(id)({ type: 'ended' }),
  }
}
