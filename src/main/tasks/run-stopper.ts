/** Stops a task's run, or cancels a queued task, before its workspace is removed. */
import type { TaskId } from '../../shared/records/ids.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Interruption } from '../runs/interruption.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { RunStopper } from '../workspaces/ports.ts'
import { createTaskLedger } from './state/task-ledger.ts'

export function createRunStopper({
  ledger,
  runs,
}: {
  ledger: Ledger
  runs: RunRegistry
}): RunStopper {
  const cause = { kind: 'workspace-removed' } as const
  return {
    async stopForRemoval(taskId: TaskId) {
      await runs.stop(taskId, new Interruption(cause))
      // A task that an earlier process left queued has no run, and nothing would start it any more.
      if (ledger.state.tasks.get(taskId)?.status === 'queued')
        await createTaskLedger(ledger).cancel(taskId, cause)
    },
  }
}
