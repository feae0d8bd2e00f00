/** Both feeds: a snapshot, then what comes after it. */
import { implement } from '@orpc/server'
import type { LedgerFeedEvent, SessionFeedEvent } from '../../../src/shared/contract/feed.ts'
import { contract } from '../../../src/shared/contract/index.ts'
import { following } from '../following.ts'
import { dataDir, type Memory } from './memory.ts'

const os = implement(contract)

export function feeds(memory: Memory) {
  const { ledger, ledgerListeners, sessionListeners, calls, sessionOf, taskIdOf } = memory
  return {
    ledger: os.feed.ledger.handler(async function* ({ signal }) {
      yield* following<LedgerFeedEvent>(ledgerListeners, signal, () => ({
        type: 'snapshot',
        state: {
          seq: ledger.seq,
          dataDir,
          projects: [...ledger.projects.values()],
          tasks: [...ledger.tasks.values()],
          trustedSetups: [],
        },
      }))
    }),
    session: os.feed.session.handler(async function* ({ input, signal, errors }) {
      calls.push({ path: 'feed.session', input })
      const id = taskIdOf(input.workspaceId)
      const session = sessionOf(id)
      if (session.archived)
        throw errors.NOT_FOUND({ message: 'It is archived.', data: { what: 'session', id } })
      const listeners = sessionListeners.get(id) ?? new Set()
      sessionListeners.set(id, listeners)
      const events = following<SessionFeedEvent>(listeners, signal, () => ({
        type: 'snapshot',
        seq: session.entries.length,
        entries: session.entries.slice(-200),
        partial: session.partial,
        damage: [],
      }))
      for await (const event of events) {
        yield event
        if (event.type === 'ended') return
      }
    }),
  }
}
