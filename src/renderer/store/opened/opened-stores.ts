/** The stores that show an opened log: its own tasks and transcripts, and the window's preferences and keys. */
import { createStore } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { lastActionOf } from '../../../shared/projections/transcript/last-action.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { createLedgerStore } from '../ledger-store.ts'
import { createChangeSummaries } from '../results/change-summaries.ts'
import { createReports } from '../results/reports.ts'
import { createTreeChangeCounts } from '../results/tree-changes.ts'
import { createLastActions } from '../resume/last-actions.ts'
import { createSearchStore } from '../search/search-store.ts'
import type { Stores } from '../stores.ts'
import { createSessions } from '../transcript/sessions.ts'
import type { Navigation } from '../window/navigation.ts'
import { createOverlay } from '../window/overlay.ts'
import type { Route } from '../window/route.ts'

export function createOpenedStores(outer: Stores, client: ShiplogClient, first: TaskId): Stores {
  const ledger = createLedgerStore({ client, onNotice: () => {} })
  const sessions = createSessions({ client, ledger })
  const search = createSearchStore({ client })
  return {
    ...outer,
    client,
    ledger,
    sessions,
    search,
    reports: createReports({ client }),
    changeSummaries: createChangeSummaries({ client }),
    treeChanges: createTreeChangeCounts({ client }),
    lastActions: createLastActions({ client, describe: lastActionOf }),
    overlay: createOverlay(),
    navigation: navigationWithin(first),
    open: () => ledger.open(),
    close() {
      search.close()
      sessions.close()
      ledger.close()
    },
  }
}

/** Routes within an opened log are not in the URL, because such a link would fail once the log is closed. */
function navigationWithin(first: TaskId): Navigation {
  const route = createStore<Route>(() => ({ screen: 'archive', taskId: first, tab: 'transcript' }))
  return { route, go: (to) => route.setState(to, true), guard: () => () => {}, close() {} }
}
