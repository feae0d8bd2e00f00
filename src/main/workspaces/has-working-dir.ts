/** Reports whether a workspace is there with its files. */
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Git } from '../git/index.ts'
import { exists } from '../journal/index.ts'
import type { WorkingDirs } from './working-dirs.ts'

interface Places {
  git: Pick<Git, 'isPartialWorktree'>
  workingDirs: Pick<WorkingDirs, 'worktreeAround'>
}

/**
 * Returns the folder to run Git in for the workspace's files; null if they are gone. For a worktree its root: an agent
 * may have renamed or deleted the working directory if the project is a folder of its repository.
 *
 * Null as well for what a kill leaves of a worktree that was being created again: every file that is missing there would
 * count as deleted by the agent.
 */
export async function filesDirOf(
  { git, workingDirs }: Places,
  workspace: Workspace,
): Promise<string | null> {
  const root = workingDirs.worktreeAround(workspace)
  const dir = root ?? workspace.path
  if (!(await exists(dir)) || (root !== null && (await git.isPartialWorktree(root)))) return null
  return dir
}

/** Reports whether the working directory itself is there too. */
export async function hasWorkingDir(places: Places, workspace: Workspace): Promise<boolean> {
  return (await exists(workspace.path)) && (await filesDirOf(places, workspace)) !== null
}
