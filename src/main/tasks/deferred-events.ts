/**
 * What has happened to a task and the disk would not take: kept, and recorded as soon as the disk does.
 * Without it a task whose end could not be written would seem to run for ever, and whoever awaits it
 * would wait as long (J7).
 */
import type { TaskId } from '../../shared/ids.ts'
import { isWrittenByOthers } from '../journal/index.ts'
import type { TaskEvent } from './task-record.ts'

/** Often enough that a person who freed some space sees it go on, seldom enough to cost nothing. */
const retryDelayMs = 500

interface DeferredEvents {
  /** Records the event, or keeps it until that is possible. Never rejects. */
  record(event: TaskEvent): Promise<void>
  /** Tries again now what is kept of a task. Rejects with what the disk says. */
  flush(taskId: TaskId): Promise<void>
  /** One last time: what can't be recorded now, the next start finds out by itself (T3). */
  close(): Promise<void>
}

export function createDeferredEvents(deps: {
  move: (event: TaskEvent) => Promise<void>
  /** Told of what was recorded later than it happened. */
  onRecorded: (taskId: TaskId) => void
  onDeferred: (event: TaskEvent, error: unknown) => void
}): DeferredEvents {
  const kept = new Map<TaskId, TaskEvent>()
  let timer: NodeJS.Timeout | null = null
  /** Closed, or another process writes the ledger now: that one finds out what became of our runs (T3). */
  let over = false
  /** One try after the other: two of the same event would be one too many. */
  let last: Promise<unknown> = Promise.resolve()

  function flush(taskId: TaskId): Promise<void> {
    const mine = last.then(async () => {
      const event = kept.get(taskId)
      if (!event) return
      await deps.move(event).catch((error) => {
        over ||= isWrittenByOthers(error)
        throw error
      })
      kept.delete(taskId)
      deps.onRecorded(taskId)
    })
    last = mine.catch(() => undefined)
    return mine
  }

  async function flushAll(): Promise<void> {
    await Promise.allSettled([...kept.keys()].map(flush))
  }

  function tryLater(): void {
    if (over || kept.size === 0 || timer) return
    timer = setTimeout(async () => {
      await flushAll()
      timer = null
      tryLater()
    }, retryDelayMs)
    // Not unref'd: a command that waits for this end has nothing else that keeps it alive.
  }

  return {
    async record(event) {
      try {
        await deps.move(event)
      } catch (error) {
        over ||= isWrittenByOthers(error)
        kept.set(event.taskId, event)
        deps.onDeferred(event, error)
        tryLater()
      }
    },
    flush,
    async close() {
      over = true
      if (timer) clearTimeout(timer)
      await flushAll()
    },
  }
}
