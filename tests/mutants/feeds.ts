import type { Mutant } from './mutant.ts'

/** The feeds of the ledger and of sessions. */
export const feedsMutants: Mutant[] = [
  {
    id: 'feeds-text-twice',
    file: 'src/main/rpc/session-feed.ts',
    find: "if (event.type === 'entries' || event.type === 'ended') pending.put(event)",
    replace: 'pending.put(event)',
    harm: 'After a lost connection, text that streamed meanwhile is shown twice.',
    tests: ['tests/rpc/session-feed.test.ts', 'tests/rpc/feeds.test.ts'],
  },
  {
    id: 'feeds-archived-never-ends',
    file: 'src/main/rpc/session-feed.ts',
    find: "    if (source === 'archived') pending.put({ type: 'ended' })\n",
    replace: '    void source\n',
    harm: 'A page that opens an archived conversation waits for updates without end, and holds its connection.',
    tests: ['tests/rpc/session-feed.test.ts', 'tests/rpc/feeds.test.ts'],
  },
  {
    id: 'feeds-entries-twice',
    file: 'src/main/rpc/session-feed.ts',
    find: 'event.entries.filter((entry) => entry.seq > seq)',
    replace: 'event.entries',
    harm: 'Entries that were written while a page caught up are shown twice.',
    tests: ['tests/rpc/session-feed.test.ts', 'tests/rpc/feeds.test.ts'],
  },
  {
    id: 'feeds-abort-unheard',
    file: 'src/shared/async/feed-queue.ts',
    find: "  signal?.addEventListener('abort', wake, { once: true })\n",
    replace: '',
    harm: 'The feed of a page that was closed while an event was sent to it is never ended.',
    tests: ['tests/shared/async/feed-queue.test.ts'],
  },
  {
    id: 'feeds-never-unsubscribed',
    file: 'src/main/rpc/ledger-feed.ts',
    find: 'for (const end of unsubscribe) end()',
    replace: 'void unsubscribe',
    harm: 'Each page that was ever opened costs memory and time until the host ends.',
    tests: ['tests/rpc/feeds.test.ts'],
  },
  {
    id: 'feeds-missed-records-lost',
    file: 'src/main/rpc/ledger-feed.ts',
    find: '      for (const record of missed) pending.put({ record })\n',
    replace: '',
    harm: 'A page misses what was recorded while its connection was lost.',
    tests: ['tests/rpc/feeds.test.ts'],
  },
  {
    id: 'feeds-present-activity-not-whole',
    file: 'src/main/rpc/ledger-feed.ts',
    find: 'taken.some(({ whole }) => whole) ? { whole: true } : {}',
    replace: 'taken.every(({ whole }) => whole === undefined) ? { whole: true } : {}',
    harm: 'A page that reconnects after a crash shows agents as waiting that were interrupted.',
    tests: ['tests/rpc/feeds.test.ts'],
  },
]
