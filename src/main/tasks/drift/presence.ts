/** Reports whether directories are there. */
import { stat } from 'node:fs/promises'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git } from '../../git/index.ts'
import { systemCode } from '../../journal/index.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'
import { ownerOf } from './worktree-owner.ts'

export interface PresenceDependencies {
  state: LedgerState
  git: Pick<Git, 'isPartialWorktree'>
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
}

/** Reports whether a task's directory is there. What a kill leaves of a worktree that was being created does not count. */
export type HasDirectory = (task: Task) => Promise<boolean>

export async function hasDirectory(
  { state, git, workingDirs }: PresenceDependencies,
  task: Task,
): Promise<boolean> {
  if (!task.workspace || !(await isDirectory(task.workspace.path))) return false
  const owner = ownerOf(state, task)
  return !owner || !(await git.isPartialWorktree(workingDirs.worktreeRoot(owner.workspace)))
}

export const isDirectory = (dir: string): Promise<boolean> =>
  stat(dir).then(
    (found) => found.isDirectory(),
    (error) => {
      // An unreadable folder is not a deleted one.
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false
      throw error
    },
  )
