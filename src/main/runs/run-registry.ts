/** Tracks the runs of this process from being queued to their end, so that callers can stop and await them. */
import { refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Interruption } from './interruption.ts'

export interface RunRegistry {
  /**
   * Runs `work` as the run of `taskId`. Throws if the task already has a run, and FailureError (refused) after
   * `stopAll`.
   */
  begin(taskId: TaskId, work: (signal: AbortSignal) => Promise<void>): void
  /** True from the start of a run to its end, also while it is being stopped. */
  isQueuedOrRunning(taskId: TaskId): boolean
  /** True until the run is stopped or ends. */
  mayStillSpawn(taskId: TaskId): boolean
  ids(): TaskId[]
  /** Resolves once the run has ended and all of it is recorded. Does nothing if the task has no run. */
  stop(taskId: TaskId, cause: Interruption): Promise<void>
  /** Resolves when no run is left. */
  stopAll(cause: Interruption): Promise<void>
  ended(taskId: TaskId): Promise<void>
}

export function createRunRegistry(): RunRegistry {
  const runs = new Map<TaskId, { abort: AbortController; done: Promise<void> }>()
  let closing: Interruption | null = null

  async function stop(taskId: TaskId, cause: Interruption): Promise<void> {
    const run = runs.get(taskId)
    if (!run) return
    run.abort.abort(cause)
    await run.done
  }

  return {
    begin(taskId, work) {
      if (closing) refused('closing', 'Shiplog is closing: start it again first.')
      if (runs.has(taskId)) throw new Error(`task ${taskId} already has a run`)
      const abort = new AbortController()
      // Work begins in the next microtask, so that `isQueuedOrRunning` is true before `work` is called.
      const done = Promise.resolve()
        .then(() => work(abort.signal))
        .finally(() => runs.delete(taskId))
      runs.set(taskId, { abort, done })
      done.catch(() => undefined) // callers that await the run receive the error; it needs no other handler
    },
    isQueuedOrRunning: (taskId) => runs.has(taskId),
    mayStillSpawn: (taskId) => runs.get(taskId)?.abort.signal.aborted === false,
    ids: () => [...runs.keys()],
    stop,
    async stopAll(cause) {
      closing = cause
      while (runs.size > 0) await Promise.allSettled([...runs.keys()].map((id) => stop(id, cause)))
    },
    async ended(taskId) {
      await runs.get(taskId)?.done.catch(() => undefined)
    },
  }
}
