/** Requests a summary of a conversation that fills its model's context. */
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { TreeLimits } from './tree-limits.ts'

/** Makes its agent summarise its conversation before the next turn, of this run or the next. Throws FailureError. */
export type Compact = (taskId: TaskId) => Promise<{ at: 'next-turn' | 'next-run' }>

export function createCompact({
  taskLedger,
  runs,
  limits,
}: {
  taskLedger: TaskLedger
  runs: Pick<RunRegistry, 'mayStillSpawn'>
  limits: Pick<TreeLimits, 'compact'>
}): Compact {
  return async (taskId) => {
    const { title, spec, parentId, workspace, status } = taskLedger.get(taskId)
    if (spec.kind !== 'model')
      return refused('not-running', `"${title}" plays a script: it has no context that fills.`)
    const isAtWork = isRunning(status) && runs.mayStillSpawn(taskId)
    if (!isAtWork && (parentId !== null || workspace?.removal || status === 'abandoned'))
      return refused('not-running', `"${title}" will not run again.`)
    await limits.compact(taskId)
    return { at: isAtWork ? 'next-turn' : 'next-run' }
  }
}
