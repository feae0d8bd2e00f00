/** Git's own folder of a worktree that is being removed. */
import type { TaskId } from '../../../shared/records/ids.ts'
import { GitError } from '../command/errors.ts'
import { type RunGit, withVariables } from '../command/run-git.ts'
import { reading } from '../store/store.ts'

export interface OwnFolder {
  repoDir: string
  commonDir: string
  adminDir: string
}

/** The state of a task's worktree that was saved. */
export interface SavedWork {
  taskId: TaskId
  /** Null: HEAD had no commit. */
  headCommit: string | null
  /** Null: nothing could be saved, because the worktree's own folder was gone, for example. */
  finalCommit: string | null
  /** True if a detached HEAD may be all that names commits, although others were saved. */
  isHeadUnsaved?: boolean
}

/** Returns a `git` for a worktree whose own folder is gone or in the trash already. */
export const inFolder = (git: RunGit, { repoDir, commonDir, adminDir }: OwnFolder): RunGit =>
  withVariables(reading(git, repoDir), {
    GIT_DIR: adminDir,
    GIT_COMMON_DIR: commonDir,
    GIT_WORK_TREE: adminDir,
  })

/** Null if Git refuses. A removal must not fail each time because an agent wrote something odd into Git's folder. */
export function orNull<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error) => {
    // On a full disk the same call succeeds later.
    if (!(error instanceof GitError) || error.code !== null) throw error
    return null
  })
}
