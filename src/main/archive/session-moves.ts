import { descendantsOf, type LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { LedgerRecord } from '../../shared/records/ledger.ts'

/** Returns the tasks whose transcripts were moved, deleted or restored by what this record reports. */
export function tasksMovedBy({ event }: LedgerRecord, state: LedgerState): TaskId[] {
  switch (event.type) {
    case 'workspace.restored':
    case 'workspace.trashed':
    case 'workspace.untrashed':
    case 'workspace.purged':
      // The descendants of a root move with it.
      return [event.workspaceId, ...descendantsOf(state, event.workspaceId).map(({ id }) => id)]
    case 'tasks.imported':
      return event.tasks.map(({ id }) => id)
    case 'transcript.expired':
    case 'transcript.unexpired':
    case 'transcript.purged':
      return [event.taskId]
    default:
      return []
  }
}
