/** The dependencies that a task waits for. Pure. */
import type { TaskId } from '../../records/ids.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { latestAttemptOf } from './latest-attempt.ts'

/** Returns the dependencies that have not completed. A restarted one is replaced by its latest attempt. */
export function openDependencies(
  task: Task,
  byId: (id: TaskId) => Task | null,
  childrenOf: (id: TaskId) => Task[],
): Task[] {
  return task.dependsOn.flatMap((id) => {
    const known = byId(id)
    if (!known) return []
    const newest = latestAttemptOf(known, childrenOf)
    return newest.status === 'completed' ? [] : [newest]
  })
}
