/** The root folders of Shiplog's worktrees, and the tasks that own them. */
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { DataLayout } from '../sessions/session-files.ts'

/**
 * Derives the root from the workspace's path, because the project may have been renamed or removed.
 * Throws if the path is not below `worktrees`, because the caller may be about to delete it.
 */
export function worktreeRootIn(layout: DataLayout, workspace: Workspace): string {
  const root = worktreeAround(layout, workspace)
  if (root === null) throw new Error(`${workspace.path} is not a worktree of Shiplog`)
  return root
}

/** Returns the root of the worktree that contains the workspace; null if it is in the project's folder. */
export function worktreeAround({ worktrees }: DataLayout, { path }: Workspace): string | null {
  const below = relative(worktrees, path)
  const [folder, name] = below.split(sep)
  // On Windows, the path to another drive is absolute.
  if (!folder || !name || folder === '..' || isAbsolute(below)) return null
  return join(worktrees, folder, name)
}

/**
 * Returns the repository and the branch of the task that owns the worktree at `root`; null if no
 * task does.
 */
export function ownerOfWorktree(
  tasks: Iterable<Task>,
  root: string,
): { repoDir: string; branch: string | null } | null {
  for (const { workspace, projectDir } of tasks) {
    if (workspace?.isolation !== 'worktree' || workspace.removal === 'removed') continue
    if (workspace.path !== root && !workspace.path.startsWith(root + sep)) continue
    return { repoDir: projectDir, branch: workspace.branch }
  }
  return null
}
