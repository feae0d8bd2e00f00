/** Reports whether a workspace's folder is there with its files. */
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Git } from '../git/index.ts'
import { exists } from '../journal/index.ts'
import type { WorkingDirs } from './working-dirs.ts'

/**
 * False as well for what a kill leaves of a worktree that was being created again: every file that is missing there would
 * count as deleted by the agent.
 */
export async function hasWorkingDir(
  {
    git,
    workingDirs,
  }: {
    git: Pick<Git, 'isPartialWorktree'>
    workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
  },
  workspace: Workspace,
): Promise<boolean> {
  if (!(await exists(workspace.path))) return false
  if (workspace.isolation === 'in-place') return true
  return !(await git.isPartialWorktree(workingDirs.worktreeRoot(workspace)))
}
