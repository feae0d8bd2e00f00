/** The ledger feed: a snapshot with its `seq`, in bounded parts, then bounded batches of later records. */

import { withEventMeta } from '@orpc/server'
import { createFeedQueue } from '../../shared/async/feed-queue.ts'
import { feedBatchMax, type LedgerFeedEvent } from '../../shared/contract/feed.ts'
import { snapshotParts } from '../../shared/projections/ledger/ledger-snapshot.ts'
import type { RunUsage } from '../../shared/projections/ledger/tree-usage.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { LedgerRecord } from '../../shared/records/ledger.ts'
import type { Activity } from '../../shared/records/tasks/activity.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ActivityBoard } from '../tasks/activity/activity.ts'
import type { UsageBoard } from '../tasks/limits/tree-limits.ts'

/** A reader that lags further behind receives a new snapshot instead. */
const backlogMax = 5_000
/** Delay before a client reconnects. */
const retryMs = 200

type Activities = Record<TaskId, Activity | null>
type Usages = Record<TaskId, RunUsage | null>
type PendingEvent =
  | { record: LedgerRecord }
  | { activity: Activities; whole?: true }
  | { usage: Usages; whole?: true }

export async function* ledgerFeed(
  deps: { ledger: Ledger; activity: ActivityBoard; usage: UsageBoard },
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<LedgerFeedEvent> {
  const { ledger } = deps
  const pending = createFeedQueue<PendingEvent>({ signal })
  const putActivity = (activity: Activities) =>
    pending.put({ activity }, (last) => mergedActivity(last, activity))
  const putUsage = (usage: Usages) =>
    pending.put({ usage }, (last) =>
      'usage' in last ? { ...last, usage: { ...last.usage, ...usage } } : null,
    )
  const unsubscribe = [
    ledger.subscribe((records) => {
      for (const record of records) pending.put({ record })
    }),
    deps.activity.subscribe(putActivity),
    deps.usage.subscribe(putUsage),
  ]
  const stamped = (event: LedgerFeedEvent, seq: number) =>
    withEventMeta(event, { id: String(seq), retry: retryMs })
  // After a crash, a client that reconnects has the activity of runs that ended with the process.
  const putPresent = () => {
    pending.put({ activity: deps.activity.current(), whole: true })
    pending.put({ usage: deps.usage.current(), whole: true })
  }
  function* snapshot(): Generator<LedgerFeedEvent> {
    pending.clear()
    putPresent()
    const { seq } = ledger.state
    const parts = snapshotParts(ledger.state)
    // Parts before the last have no event id: a client can't resume from an incomplete snapshot.
    yield* parts.slice(0, -1)
    const last = parts.at(-1)
    if (last) yield stamped(last, seq)
  }
  try {
    const missed = lastEventId === undefined ? null : ledger.recordsAfter(Number(lastEventId))
    if (missed) {
      for (const record of missed) pending.put({ record })
      putPresent()
    } else yield* snapshot()
    while (!signal?.aborted) {
      if (pending.size > backlogMax) yield* snapshot()
      const taken = pending.takeUpTo(feedBatchMax)
      const records = taken.flatMap((one) => ('record' in one ? [one.record] : []))
      const last = records.at(-1)
      if (last) yield stamped({ type: 'records', records }, last.seq)
      const activity = taken.filter((one) => 'activity' in one)
      if (activity.length > 0)
        yield {
          type: 'activity',
          activity: Object.assign({}, ...activity.map((one) => one.activity)),
          ...wholeIfAny(activity),
        }
      const usage = taken.filter((one) => 'usage' in one)
      if (usage.length > 0)
        yield {
          type: 'usage',
          usage: Object.assign({}, ...usage.map((one) => one.usage)),
          ...wholeIfAny(usage),
        }
      await pending.wait()
    }
  } finally {
    for (const end of unsubscribe) end()
  }
}

/** Changes that precede the whole in the queue are part of it. */
const wholeIfAny = (taken: { whole?: true }[]): { whole?: true } =>
  taken.some(({ whole }) => whole) ? { whole: true } : {}

function mergedActivity(last: PendingEvent, activity: Activities): PendingEvent | null {
  return 'activity' in last ? { ...last, activity: { ...last.activity, ...activity } } : null
}
