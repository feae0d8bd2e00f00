/** Stops a task and all tasks below it, and cancels those that have not begun. */
import type { StoppedTasks } from '../../../shared/contract/tasks.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { Interruption } from '../../runs/interruption.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { Runner } from './runner.ts'

export type StopTask = (taskId: TaskId, cause: Cause) => Promise<StoppedTasks>

/** `stoppedByPerson`: called first with the root when a user stops a task, so that nothing wakes its tree. */
export function createStop({
  state,
  taskLedger,
  runs,
  runner,
  stoppedByPerson,
}: {
  state: LedgerState
  taskLedger: TaskLedger
  runs: RunRegistry
  runner: Pick<Runner, 'cleanUp'>
  stoppedByPerson: (rootId: TaskId) => Promise<void>
}): StopTask {
  return async function stop(taskId, cause) {
    const named = taskLedger.get(taskId)
    const tree = () => [...descendantsOf(state, taskId), named].map((task) => task.id)
    const isWaiting = (id: TaskId) => ['queued', 'blocked'].includes(taskLedger.get(id).status)
    const wasWaiting = isWaiting(taskId)
    if (cause.kind === 'stopped' && cause.by === 'person') await stoppedByPerson(named.rootId)
    const stopped = new Set<TaskId>()
    // Repeated until there is no new one: a parent may have been starting a sub-agent when it was stopped.
    for (;;) {
      const running = tree().filter((id) => runs.isQueuedOrRunning(id) && !stopped.has(id))
      if (running.length === 0) break
      for (const id of running) stopped.add(id)
      // Concurrently, so that no parent reacts to the end of a child and continues.
      await Promise.all(running.map((id) => runs.stop(id, new Interruption(cause))))
    }
    // Blocked tasks, and those that an earlier process left queued, have no run to stop. They are
    // cancelled only if a run was stopped or the task itself was waiting: below an agent that had
    // already ended they may still run.
    const cancelled = [...stopped].filter((id) => taskLedger.get(id).status === 'cancelled')
    if (stopped.size > 0 || wasWaiting) {
      for (const id of tree().filter(isWaiting)) {
        await taskLedger.cancel(id, cause)
        cancelled.push(id)
      }
    }
    for (const id of tree()) void runner.cleanUp(id)
    return { stopped: [...stopped].filter((id) => !cancelled.includes(id)), cancelled }
  }
}
