import type { TaskId } from '../../records/ids.ts'
import type { Task } from '../../records/tasks/tasks.ts'

/**
 * Returns the task that satisfies dependencies on `task`: itself, or, if it was restarted, the last task that its parent
 * created by the same call. `childrenOf` returns children in the order of their creation. Pure.
 */
export function latestAttemptOf(task: Task, childrenOf: (parentId: TaskId) => Task[]): Task {
  const { parentId, callId } = task
  if (parentId === null || callId === null) return task
  return childrenOf(parentId).findLast((other) => other.callId === callId) ?? task
}
