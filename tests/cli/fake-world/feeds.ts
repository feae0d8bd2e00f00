/** Both feeds, which behave as feed.ts says. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { Memory } from './memory.ts'

const snapshotEntriesMax = 2
const os = implement(contract)

export function feeds(deps: { memory: Memory; closed: () => boolean }) {
  const { state, records, sessionEvents, change, sessionOf, find } = deps.memory
  const { closed } = deps
  return {
    ledger: os.feed.ledger.handler(async function* () {
      let seq = state.seq
      yield {
        type: 'snapshot' as const,
        state: {
          seq,
          dataDir: '/data',
          projects: [...state.projects.values()],
          tasks: [...state.tasks.values()],
          trustedSetups: [],
        },
      }
      for (;;) {
        const next = change()
        const fresh = records.slice(seq)
        if (fresh.length > 0) {
          seq += fresh.length
          yield { type: 'records' as const, records: fresh }
        } else if (closed()) return
        else await next
      }
    }),
    session: os.feed.session.handler(async function* ({ input, errors }) {
      const taskId = find(input.workspaceId, errors)
      const { entries, archived, partial } = sessionOf(taskId)
      if (archived) {
        throw errors.NOT_FOUND({ message: 'gone', data: { what: 'workspace', id: taskId } })
      }
      const events = sessionEvents.get(taskId) ?? []
      let told = events.length
      yield {
        type: 'snapshot' as const,
        seq: entries.length,
        entries: entries.slice(-snapshotEntriesMax),
        partial,
        damage: [],
      }
      for (;;) {
        const next = change()
        for (; told < events.length; told++) {
          const event = events[told]
          if (event) yield event
          if (event?.type === 'ended') return
        }
        if (closed()) return
        await next
      }
    }),
  }
}
