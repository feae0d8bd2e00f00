/** Sets the status of a saved patch, which moves up when the parent workspace is removed. */

import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { changePatchStatus } from '../../artifacts/index.ts'
import type { WorkspaceLocks } from '../locks.ts'
import type { FinalStates } from './final-state.ts'

/** Does nothing if no patch is kept yet. */
export type KeepPatchStatus = (task: Task, status: 'applied' | 'ready') => Promise<void>

export function createKeepPatchStatus({
  records,
  finalStates,
  clock,
  locks,
}: {
  records: ArchiveReader
  finalStates: FinalStates
  clock: () => number
  locks: Pick<WorkspaceLocks, 'session'>
}): KeepPatchStatus {
  return async (task, status) => {
    for (const id of finalStates.keepersOf(task)) {
      const kept = await locks.session(id, async () => {
        const dir = await records.sessionHome(id)
        return dir !== null && changePatchStatus(dir, task.id, status, clock())
      })
      if (kept) return
    }
  }
}
