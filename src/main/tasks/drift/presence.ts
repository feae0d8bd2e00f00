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
  git: Pick<Git, 'isPartialWorktree' | 'hasHiddenFolder'>
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
}

/** Reports whether a task's directory has to be restored before a run: it is missing, or a kill cut its restore short. */
export type NeedsRestore = (task: Task) => Promise<boolean>

export async function needsRestore(deps: PresenceDependencies, task: Task): Promise<boolean> {
  if (!(await hasDirectory(deps, task))) return true
  const owner = ownerOf(deps.state, task)
  return owner !== null && deps.git.hasHiddenFolder(deps.workingDirs.worktreeRoot(owner.workspace))
}

/** Reports whether a task's directory is there. What a kill leaves of a worktree that was being created does not count. */
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
