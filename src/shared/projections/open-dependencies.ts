/** What a task waits for before it begins. Pure; the main side decides, this only names them. */
import type { TaskId } from '../records/ids.ts'
import type { Task } from '../records/tasks.ts'
import { latestAttemptOf } from './latest-attempt.ts'

/** Those that have not completed; in the place of one that was begun anew stands the new one. */
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
