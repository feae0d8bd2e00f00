/** The feeds: a snapshot, then what comes after it. */
import { feedBatchMax, type LedgerFeedEvent } from '../../src/shared/contract/feed.ts'
import { snapshotParts } from '../../src/shared/projections/ledger/ledger-snapshot.ts'
import { type Implementer, withAnswers } from './implementer.ts'
import { follow, type Memory } from './memory.ts'
import type { FakePermissions } from './permissions.ts'
import type { FakeResume } from './resume.ts'

export function feeds(
  os: Implementer,
  deps: { memory: Memory; resume: FakeResume; permissions: FakePermissions },
) {
  const { given, state, activity, ledgerListeners, sessionListeners, sessionOf, find } = deps.memory
  return {
    // Nobody who is given a fake keeps an index of it.
    sessions: os.feed.sessions.handler(async function* () {}),
    ledger: os.feed.ledger.handler(({ signal }) =>
      follow(ledgerListeners, signal, (): LedgerFeedEvent[] => [
        ...snapshotParts(state),
        { type: 'activity', activity: { ...activity }, whole: true },
      ]),
    ),
    session: os.feed.session.handler(({ input, signal }) => {
      const { id } = find(input.workspaceId, 'workspace')
      const listeners = sessionListeners.get(id) ?? new Set()
      sessionListeners.set(id, listeners)
      return follow(
        listeners,
        signal,
        () => {
          const { entries, partial, damage } = sessionOf(id)
          const newest = entries.slice(-(given.pageEntriesMax ?? feedBatchMax))
          const seq = entries.at(-1)?.seq ?? 0
          return [
            { type: 'snapshot', seq, entries: newest, partial, damage },
            { type: 'running', calls: [] },
            // Nobody writes it any more, so there will be no news.
            ...(state.tasks.get(id)?.archived ? [{ type: 'ended' } as const] : []),
          ]
        },
        ({ type }) => type === 'ended',
      )
    }),
    permissions: os.feed.permissions.handler(({ signal }) => deps.permissions.feed(signal)),
    resumePlan: os.feed.resumePlan.handler(({ input }) =>
      withAnswers(deps.resume.planned(input.selector)),
    ),
  }
}
