/**
 * Projects and tasks from the ledger feed: a snapshot, then records folded by the same pure fold as
 * in the main process, published at most every second frame.
 */

import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LedgerFeedEvent } from '../../shared/contract/feed.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { foldLedgerRecord } from '../../shared/projections/ledger/fold-ledger.ts'
import { createSnapshotJoiner } from '../../shared/projections/ledger/ledger-snapshot.ts'
import {
  childrenByParent,
  emptyLedgerState,
  type LedgerState,
} from '../../shared/projections/ledger/ledger-state.ts'
import type { UsageOfRuns } from '../../shared/projections/ledger/tree-usage.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { LedgerEvent } from '../../shared/records/ledger.ts'
import type { Activity } from '../../shared/records/tasks/activity.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type Problem, problemOf } from '../rpc/problem.ts'
import { type Schedule, withFrames } from './schedule.ts'

export interface LedgerView {
  phase: 'loading' | 'ready' | 'failed'
  problem: Problem | null
  /** The loaded share of a long list, from 0 to 1; null: none is loading. */
  progress: number | null
  /** Its maps are updated in place: read it through a selector, and compare tasks by identity. */
  ledger: LedgerState
  /** Children of each task, oldest first; roots under `null`. */
  children: Map<TaskId | null, Task[]>
  /** The current activity of each running agent, one line. */
  activity: ReadonlyMap<TaskId, Activity>
  /** The usage so far of runs that have not ended. */
  usage: UsageOfRuns
}

export interface LedgerStore {
  store: StoreApi<LedgerView>
  /** Follows the feed until `close`. After a failure, call it again to start over. */
  open(): void
  close(): void
}

interface LedgerStoreDeps {
  client: Pick<ShiplogClient, 'feed'>
  schedule?: Schedule
  /** The host has a new notice: a sweep has ended, or a project has moved. */
  onNotice?(): void
}

const eventsWithNotice: ReadonlySet<LedgerEvent['type']> = new Set([
  'retention.swept',
  'project.moved',
  'project.identified',
])

const noActivity: ReadonlyMap<TaskId, Activity> = new Map()
const noUsage: UsageOfRuns = new Map()

export function createLedgerStore({
  client,
  schedule = withFrames,
  onNotice,
}: LedgerStoreDeps): LedgerStore {
  let ledger = emptyLedgerState('')
  let activity = noActivity
  let usage = noUsage
  let snapshots = createSnapshotJoiner()
  let tasksChanged = true
  let controller: AbortController | null = null
  const store = createStore<LedgerView>(() => ({
    phase: 'loading',
    problem: null,
    progress: null,
    ledger,
    children: new Map(),
    activity,
    usage,
  }))
  const publishing = schedule(publish)
  const progressing = schedule(() => store.setState({ progress: snapshots.progress() }))

  function publish(): void {
    store.setState((before) => ({
      phase: 'ready',
      problem: null,
      progress: snapshots.progress(),
      ledger,
      children: tasksChanged ? childrenByParent(ledger.tasks.values()) : before.children,
      activity,
      usage,
    }))
    tasksChanged = false
  }

  function take(event: LedgerFeedEvent): void {
    const whole = snapshots.take(event)
    if (whole) {
      ledger = whole
      tasksChanged = true
    }
    switch (event.type) {
      case 'snapshot':
      case 'snapshot-part':
        // The shown data stays until the last part has arrived.
        if (!whole) return progressing.request()
        break
      case 'records':
        for (const record of event.records) foldLedgerRecord(ledger, record)
        tasksChanged = true
        if (event.records.some(({ event: { type } }) => eventsWithNotice.has(type))) onNotice?.()
        break
      case 'activity':
        activity = withChanges(event.whole ? noActivity : activity, event.activity)
        break
      case 'usage':
        usage = withChanges(event.whole ? noUsage : usage, event.usage)
        break
    }
    publishing.request()
  }

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of await client.feed.ledger(undefined, { signal })) {
        if (signal.aborted) return
        take(event)
      }
    } catch (error) {
      if (signal.aborted) return
      publishing.cancel()
      progressing.cancel()
      store.setState({ phase: 'failed', problem: problemOf(error, 'read the list of agents') })
    }
  }

  return {
    store,
    open() {
      controller?.abort()
      controller = new AbortController()
      snapshots = createSnapshotJoiner()
      void follow(controller.signal)
    },
    close() {
      controller?.abort()
      publishing.cancel()
      progressing.cancel()
    },
  }
}

/** Returns a new map with the changes; null removes an entry. */
function withChanges<Value>(
  before: ReadonlyMap<TaskId, Value>,
  changes: Record<TaskId, Value | null>,
): ReadonlyMap<TaskId, Value> {
  const after = new Map(before)
  for (const [taskId, now] of Object.entries(changes) as [TaskId, Value | null][]) {
    if (now === null) after.delete(taskId)
    else after.set(taskId, now)
  }
  return after
}
