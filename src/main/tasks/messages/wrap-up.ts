/** Asks the agents of a tree to end with a report (Q3). */
import { refused } from '../../../shared/failure.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import { Interruption } from '../../runs/interruption.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { ActivityBoard } from '../activity/activity.ts'
import type { TreeLimits } from '../limits/tree-limits.ts'
import type { TaskLedger } from '../state/task-ledger.ts'

/**
 * Asks a task and all tasks below it to end with a report: each running one gets one last turn, and
 * tasks that have not begun are cancelled. Resolves with both. Sub-agents inside their parent's agent
 * end with it. Throws FailureError if no task is running, or `taskId` runs inside its parent.
 */
export type WrapUp = (taskId: TaskId) => Promise<{ asked: TaskId[]; cancelled: TaskId[] }>

export function createWrapUp({
  state,
  taskLedger,
  runs,
  limits,
  activity,
  isAttached,
}: {
  state: LedgerState
  taskLedger: TaskLedger
  runs: Pick<RunRegistry, 'mayStillSpawn' | 'stop'>
  limits: Pick<TreeLimits, 'wrapUp'>
  activity: Pick<ActivityBoard, 'wrapUp'>
  /** Reports whether the agent runs in its parent's process. */
  isAttached: (taskId: TaskId) => boolean
}): WrapUp {
  return async (taskId) => {
    const { title } = taskLedger.get(taskId)
    const tree = [...descendantsOf(state, taskId).map(({ id }) => id), taskId]
    if (isAttached(taskId))
      refused(
        'not-running',
        `"${title}" runs inside its parent’s agent, which alone can ask it for a report. Ask its parent to wrap up.`,
      )
    const asked = tree.filter(
      (id) => isRunning(taskLedger.get(id).status) && runs.mayStillSpawn(id) && !isAttached(id),
    )
    if (asked.length === 0)
      return refused('not-running', `"${title}" is not running: there is nothing to wrap up.`)
    for (const id of asked) activity.wrapUp(id)
    limits.wrapUp(asked)
    const cause: Cause = { kind: 'stopped', by: 'person' }
    const cancelled: TaskId[] = []
    for (const id of tree) {
      if (!['queued', 'blocked'].includes(taskLedger.get(id).status)) continue
      await runs.stop(id, new Interruption(cause))
      await taskLedger.cancel(id, cause)
      if (taskLedger.get(id).status === 'cancelled') cancelled.push(id)
    }
    return { asked, cancelled }
  }
}
