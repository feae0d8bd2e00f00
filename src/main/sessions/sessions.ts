/** The sessions that are open for writing, and their listeners. */

import { publishTo } from '../../shared/publish-to.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { openSession, type Session, type SessionEvent, SessionMissingError } from './session.ts'

/** `seq` is that of the newest entry; null if the session was archived. */
interface SessionChange {
  id: TaskId
  seq: number | null
}

export interface Sessions {
  /**
   * Opens a session, or returns the open one. Each `open` needs its own `close`. With `mustExist`,
   * throws SessionMissingError instead of creating a transcript.
   */
  open(id: TaskId, dir: string, options?: { mustExist?: boolean }): Promise<Session>
  close(id: TaskId): Promise<void>
  /** Returns the open session, or null if nothing writes it. */
  current(id: TaskId): Session | null
  /**
   * Subscribes to a session's events, whether it is open now or later. Returns the unsubscribe
   * function.
   */
  subscribe(id: TaskId, listener: (event: SessionEvent) => void): () => void
  /**
   * Subscribes to all sessions: emits those that grew or were archived. Returns the unsubscribe
   * function.
   */
  subscribeAll(listener: (change: SessionChange) => void): () => void
  /** Emits that the session was archived. */
  ended(id: TaskId): void
}

/**
 * `onOpened` is called for each session opened for writing, with its repairs and its damage.
 * `onListenerError` receives what a listener throws; the entry that it was called with is kept.
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
  /** Transforms an entry before it is written. */
  prepare?: (body: EntryBody) => EntryBody
  /** Reports whether another process holds the lease now; then nothing more is written. */
  isDisplaced?: () => boolean
  /** Called for a failure that has no consequences. */
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
          // The other caller required an existing session; this one may create it.
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
