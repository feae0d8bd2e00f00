/** Brings the directory that a task worked in back before it is resumed (S4). */
import type { Entry } from '../../../shared/entries.ts'
import type { LedgerState } from '../../../shared/projections/ledger-state.ts'
import type { Task } from '../../../shared/tasks.ts'
import type { Git } from '../../git/index.ts'
import type { Records } from '../../workspaces/record.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'

export interface RestoreDependencies {
  state: LedgerState
  git: Git
  records: Pick<Records, 'transcriptPage'>
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
}

export interface RestoredWorkingDir {
  /** What was put right, one sentence each, for the resume entry; empty when all was there. */
  restored: string[]
  /** The worktree was made again: what Git ignores is not in it, so the set-up is to run once more. */
  madeAnew: boolean
}

/**
 * `history`: every entry of the task's own runs. All or nothing (S5): throws FailureError (`refused`, with what
 * to do) or GitError, and then everything is as it was.
 */
export type RestoreWorkingDir = (
  task: Task,
  history: readonly Entry[],
) => Promise<RestoredWorkingDir>

export function createRestoreWorkingDir(_deps: RestoreDependencies): RestoreWorkingDir {
  return async () => ({ restored: [], madeAnew: false })
}
