import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ShownStatus } from '../primitives/status-icon.tsx'

/**
 * A queued task whose root has stopped is not started until the root continues. One that asks for a
 * permission waits for the user. One that a spent quota interrupted sleeps if its tree continues by
 * itself.
 */
export const shownStatus = (
  task: Task,
  root: Task | null,
  activity: Activity | null = null,
): ShownStatus => {
  if (activity?.state === 'asking' || activity?.state === 'paused') return 'waiting'
  if (sleepOf(task, root)) return 'sleeping'
  return task.status === 'queued' &&
    task.parentId !== null &&
    root !== null &&
    isSettled(root.status)
    ? 'not-started'
    : task.status
}
