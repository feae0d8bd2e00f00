/** Abandons a stopped task, or retries a failed one, at the user's request. */
import { refused } from '../../../shared/failure.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { Runner } from '../running/runner.ts'
import type { TaskLedger } from './task-ledger.ts'

export function createAbandonAndRetry({
  taskLedger,
  runs,
  runner,
  isBeingReplaced,
  ensureWorkingDir,
}: {
  taskLedger: TaskLedger
  runs: RunRegistry
  runner: Pick<Runner, 'begin' | 'cleanUp' | 'flushDeferred'>
  isBeingReplaced: (taskId: TaskId) => boolean
  /** Restores the working directory if it is gone (S4). Resolves with entries that describe what was restored. */
  ensureWorkingDir: (task: Task) => Promise<EntryBody[]>
}) {
  async function abandon(taskId: TaskId, cause: Cause): Promise<void> {
    await runner.flushDeferred(taskId)
    const { title, status } = taskLedger.get(taskId)
    if (runs.isQueuedOrRunning(taskId))
      return refused('running', `"${title}" is running, or about to. Stop it first.`)
    if (isBeingReplaced(taskId)) return refused('running', `"${title}" is being restarted.`)
    if (status === 'interrupted')
      await taskLedger.transition({ type: 'task.abandoned', taskId, cause })
    else if (status === 'queued' || status === 'blocked') await taskLedger.cancel(taskId, cause)
    else refused('not-interrupted', `"${title}" is ${status}: there is nothing to abandon.`)
    void runner.cleanUp(taskId)
  }

  async function retry(taskId: TaskId): Promise<void> {
    await runner.flushDeferred(taskId)
    refuseUnlessFailed(taskId)
    // First: a root that can't begin would stay in the queue, and a command would wait for its end forever.
    const restored = await ensureWorkingDir(taskLedger.get(taskId))
    refuseUnlessFailed(taskId)
    await taskLedger.transition({ type: 'task.requeued', taskId })
    runner.begin(taskId, {
      prompt: '',
      reason: 'retry',
      prepare: async () => [...restored, ...(await ensureWorkingDir(taskLedger.get(taskId)))],
    })
  }

  function refuseUnlessFailed(taskId: TaskId): void {
    const { title, status, archived, trashed } = taskLedger.get(taskId)
    if (status !== 'failed' || runs.isQueuedOrRunning(taskId)) {
      const instead = status === 'interrupted' ? ' Resume it instead.' : ''
      return refused(
        'not-failed',
        `"${title}" is ${status}: only what failed is run again.${instead}`,
      )
    }
    if (archived || trashed) refused('removed', `The workspace of "${title}" was removed.`)
  }

  return { abandon, retry }
}
