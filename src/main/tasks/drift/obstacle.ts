/** Obstacles to restoring the directory that a task worked in, found before anything is changed (S4). */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ancestorsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import { goneFolderAdvice } from '../../workspaces/moved-projects/gone-folder.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'
import { isDirectory } from './origin.ts'

interface ObstacleDependencies {
  state: LedgerState
  git: Git
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
}

/** Resolves with the obstacle and its remedy; null if there is none. `past` is the task's own session's state. */
export type FindObstacle = (task: Task, past: SessionState) => Promise<string | null>

export function createFindObstacle({
  state,
  git,
  workingDirs,
}: ObstacleDependencies): FindObstacle {
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
      return taken
        ? `The worktree of "${title}" is missing, and its branch ${branch} is checked out in ${taken}. Check out another branch there.`
        : null
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

export type Placed = Task & { workspace: Workspace }

/** Returns the task that owns the worktree: itself or an ancestor that shares it; null for the project's folder. */
export function ownerOf(state: LedgerState, task: Task): Placed | null {
  const line = [task, ...ancestorsOf(state, task.id).map((id) => state.tasks.get(id))]
  for (const one of line) {
    const { workspace } = one ?? {}
    if (!one || !workspace || workspace.path !== task.workspace?.path) return null
    if (workspace.isolation === 'worktree') return { ...one, workspace }
  }
  return null
}
