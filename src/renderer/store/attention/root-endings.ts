/** Emits the ends of roots' runs. */
import { isStoppedByPerson } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning, isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { LedgerStore } from '../ledger-store.ts'

/**
 * Calls `onEnd` once for each run of a root that was seen running and has ended, unless the user
 * stopped it. Ends during a lost connection are emitted after it is restored. Returns the
 * unsubscribe function.
 */
export function watchRoots(
  ledger: Pick<LedgerStore, 'store'>,
  onEnd: (task: Task) => void,
): () => void {
  const atWork = new Set<TaskId>()
  const check = (): void => {
    for (const task of ledger.store.getState().ledger.tasks.values()) {
      if (task.parentId !== null) continue
      if (isRunning(task.status)) atWork.add(task.id)
      else if (isSettled(task.status) && atWork.delete(task.id) && !isStoppedByPerson(task.cause))
        onEnd(task)
    }
  }
  check()
  return ledger.store.subscribe(check)
}
