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
import type { TaskRecord } from '../state/task-record.ts'

/**
 * Asks a task and all tasks below it to end with a report: each running one gets one last turn, and
 * tasks that have not begun are cancelled. Resolves with both. Sub-agents inside their parent's agent
 * end with it. Throws FailureError if no task is running, or `taskId` runs inside its parent.
 */
export type WrapUp = (taskId: TaskId) => Promise<{ asked: TaskId[]; cancelled: TaskId[] }>

export function createWrapUp({
  state,
  record,
  runs,
  limits,
  activity,
  isAttached,
}: {
  state: LedgerState
  record: TaskRecord
  runs: Pick<RunRegistry, 'mayStillSpawn' | 'stop'>
  limits: Pick<TreeLimits, 'wrapUp'>
  activity: Pick<ActivityBoard, 'wrapUp'>
  /** Reports whether the agent runs in its parent's process. */
  isAttached: (taskId: TaskId) => boolean
}): WrapUp {
  return async (taskId) => {
    const { title } = record.known(taskId)
    const tree = [...descendantsOf(state, taskId).map(({ id }) => id), taskId]
    if (isAttached(taskId))
      refused(
        'not-running',
        `"${title}" runs inside its parent’s agent, which alone can ask it for a report. Ask its parent to wrap up.`,
      )
    const asked = tree.filter(
      (id) => isRunning(record.known(id).status) && runs.mayStillSpawn(id) && !isAttached(id),
    )
    if (asked.length === 0)
      return refused('not-running', `"${title}" is not running: there is nothing to wrap up.`)
    for (const id of asked) activity.wrapUp(id)
    limits.wrapUp(asked)
    const cause: Cause = { kind: 'stopped', by: 'person' }
    const cancelled: TaskId[] = []
    for (const id of tree) {
      if (!['queued', 'blocked'].includes(record.known(id).status)) continue
      await runs.stop(id, new Interruption(cause))
      await record.cancel(id, cause)
      if (record.known(id).status === 'cancelled') cancelled.push(id)
    }
    return { asked, cancelled }
  }
}
