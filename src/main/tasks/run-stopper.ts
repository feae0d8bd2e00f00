/** Stops what belongs to a workspace before it is removed. */
import type { TaskId } from '../../shared/ids.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Interruption } from '../runs/interruption.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { RunStopper } from '../workspaces/ports.ts'
import { createTaskRecord } from './task-record.ts'

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
      // What an earlier process left in the queue has no run, and nobody would begin it any more.
      if (ledger.state.tasks.get(taskId)?.status === 'queued')
        await createTaskRecord(ledger).cancel(taskId, cause)
    },
  }
}
