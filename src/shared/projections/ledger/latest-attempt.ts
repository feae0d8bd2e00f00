import type { TaskId } from '../../records/ids.ts'
import type { Task } from '../../records/tasks/tasks.ts'

/**
 * The task that counts now where this one is depended on: itself, or, when it was restarted, the last that
 * its parent made by the same call. `childrenOf`: in the order in which they were made. Pure.
 */
export function latestAttemptOf(task: Task, childrenOf: (parentId: TaskId) => Task[]): Task {
  const { parentId, callId } = task
  if (parentId === null || callId === null) return task
  return childrenOf(parentId).findLast((other) => other.callId === callId) ?? task
}
