/** The feed of sessions that grew or moved, for clients that cache data about all sessions. */
import { setTimeout as delay } from 'node:timers/promises'
import { feedBatchMax, type SessionsFeedEvent } from '../../shared/contract/feed.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { tasksMovedBy } from '../archive/session-moves.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A busy agent writes many entries per second; the interval batches them into one event. */
const intervalMs = 250

type Change = SessionsFeedEvent['sessions'][number]

export async function* sessionsFeed(
  {
    sessions,
    ledger,
  }: { sessions: Pick<Sessions, 'subscribeAll'>; ledger: Pick<Ledger, 'state' | 'subscribe'> },
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionsFeedEvent> {
  const changes = new Map<TaskId, Change>()
  let wake: (() => void) | null = null
  signal?.addEventListener('abort', () => wake?.(), { once: true })
  const addChange = (taskId: TaskId, seq: number | null) => {
    const known = changes.get(taskId)
    changes.set(taskId, {
      taskId,
      seq: seq ?? known?.seq ?? null,
      moved: seq === null || known?.moved === true,
    })
    wake?.()
  }
  const unsubscribe = [
    sessions.subscribeAll(({ id, seq }) => addChange(id, seq)),
    ledger.subscribe((records) => {
      for (const record of records)
        for (const taskId of tasksMovedBy(record, ledger.state)) addChange(taskId, null)
    }),
  ]
  try {
    while (!signal?.aborted) {
      if (changes.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = null
        continue
      }
      const batch = [...changes.values()].slice(0, feedBatchMax)
      for (const { taskId } of batch) changes.delete(taskId)
      yield { sessions: batch }
      await delay(intervalMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    for (const end of unsubscribe) end()
  }
}
