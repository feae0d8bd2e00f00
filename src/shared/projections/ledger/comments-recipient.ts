import type { TaskId } from '../../records/ids.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'

/**
 * Returns the task that gets the comments on the changes of `task`: the task itself, or the root for a sub-agent that
 * reads no messages (T4). `atNextTurn`: it reads them while it runs; otherwise they are a follow-up. Pure.
 */
export function commentsRecipient(
  task: Task,
  tasks: Pick<ReadonlyMap<TaskId, Task>, 'get'>,
): { to: Task; atNextTurn: boolean } {
  const to = task.parentId === null || readsMessages(task) ? task : tasks.get(task.rootId)
  return { to: to ?? task, atNextTurn: readsMessages(to ?? task) }
}

const readsMessages = ({ status, spec }: Task): boolean =>
  isRunning(status) && spec.kind !== 'scripted'
