/** Obstacles to restoring the directory that a task worked in, found before anything is changed (S4). */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { exists } from '../../journal/index.ts'
import { goneFolderAdvice } from '../../workspaces/moved-projects/gone-folder.ts'
import { isDirectory } from './presence.ts'
import { findSource, type SourceDependencies } from './source.ts'
import { ownerOf } from './worktree-owner.ts'

/** Resolves with the obstacle and its remedy; null if there is none. `past` is the task's own session's state. */
export type FindObstacle = (task: Task, past: SessionState) => Promise<string | null>

export function createFindObstacle(deps: SourceDependencies): FindObstacle {
  const { state, git, workingDirs } = deps
  return async (task, past) => {
    const { title, projectDir } = task
    if (!(await isDirectory(projectDir)))
      return goneFolderAdvice(state.projects.get(task.projectId), projectDir)
    const owner = ownerOf(state, task)
    if (!owner) return null
    if (!(await git.isSameRepository(projectDir, projectDir)))
      return `${projectDir} is no longer a Git repository, and the worktree of "${title}" belongs to it.`
    const root = workingDirs.worktreeRoot(owner.workspace)
    if (!(await exists(root)) || (await git.isPartialWorktree(root))) {
      const branch = past.tree?.branch ?? owner.workspace.branch
      const holders = branch ? await git.foldersWithBranch({ repoDir: projectDir, branch }) : []
      // Git keeps its old path registered after it was deleted by hand.
      const own = await whereItWas(root)
      const taken = holders.find((folder) => folder !== own)
      if (taken)
        return `The worktree of "${title}" is missing, and its branch ${branch} is checked out in ${taken}. Check out another branch there.`
      const source = await findSource(deps, owner, { task, past })
      return 'refused' in source ? source.refused : null
    }
    const belongs =
      (await git.isSameRepository(root, projectDir)) ||
      (await git.isMovedWorktree(projectDir, root))
    return belongs
      ? null
      : `${root} exists, but Git no longer lists it as a worktree. Run \`git worktree repair\` in ${projectDir}, or move the folder away.`
  }
}

async function whereItWas(root: string): Promise<string> {
  return join(await realpath(dirname(root)).catch(() => dirname(root)), basename(root))
}
