/**
 * Keeps task events that could not be written, and records them once the disk accepts writes again.
 * Otherwise a task whose end could not be written would stay running, and its callers would wait
 * forever (J7).
 */
import type { TaskId } from '../../../shared/records/ids.ts'
import { isWrittenByOthers } from '../../journal/index.ts'
import type { TaskEvent } from './task-ledger.ts'

/** Short enough that a user who freed some space sees the effect, long enough to cost nothing. */
const retryDelayMs = 500

interface DeferredEvents {
  /** Records the event, or keeps it until that is possible. Never rejects. */
  record(event: TaskEvent): Promise<void>
  /** Retries a task's deferred events now. Rejects with the disk's error. */
  flush(taskId: TaskId): Promise<void>
  /** One last try: the next start reconstructs events that can't be recorded now (T3). */
  close(): Promise<void>
}

export function createDeferredEvents(deps: {
  transition: (event: TaskEvent) => Promise<void>
  /** Called with events that were recorded later than they happened. */
  onRecorded: (taskId: TaskId) => void
  onDeferred: (event: TaskEvent, error: unknown) => void
}): DeferredEvents {
  const kept = new Map<TaskId, TaskEvent>()
  let timer: NodeJS.Timeout | null = null
  /**
   * True once this is closed, or another process writes the ledger and recovers the runs of this
   * one (T3).
   */
  let over = false
  /** Attempts are serialized, so that no event is recorded twice. */
  let last: Promise<unknown> = Promise.resolve()

  function flush(taskId: TaskId): Promise<void> {
    const mine = last.then(async () => {
      const event = kept.get(taskId)
      if (!event) return
      await deps.transition(event).catch((error) => {
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
        await deps.transition(event)
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
