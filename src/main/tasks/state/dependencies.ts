/** The tasks that a task depends on (`dependsOn`), and the tasks that a completed one releases. */

import { latestAttemptOf } from '../../../shared/projections/ledger/latest-attempt.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TaskLedger } from './task-ledger.ts'

/** Returns the tasks that it depends on, the newest attempt of each. */
export function dependenciesOf(taskLedger: TaskLedger, task: Task): Task[] {
  return task.dependsOn.map((id) => latestAttemptOf(taskLedger.get(id), taskLedger.children))
}

/** Returns the cause if a task that it depends on did not complete, or null if it can begin. */
export function blockedBy(taskLedger: TaskLedger, task: Task): Cause | null {
  const missing = dependenciesOf(taskLedger, task).filter(({ status }) => status !== 'completed')
  if (missing.length === 0) return null
  const tasks = missing.map(({ id: taskId, title, status }) => ({ taskId, title, status }))
  return { kind: 'dependencies', tasks }
}

/** Returns the blocked tasks that can begin because this one has completed. */
export function releasedBy(taskLedger: TaskLedger, completed: TaskId): Task[] {
  const { parentId } = taskLedger.get(completed)
  if (parentId === null) return []
  return taskLedger
    .children(parentId)
    .filter(
      (task) =>
        task.status === 'blocked' &&
        dependenciesOf(taskLedger, task).some(({ id }) => id === completed) &&
        blockedBy(taskLedger, task) === null,
    )
}
