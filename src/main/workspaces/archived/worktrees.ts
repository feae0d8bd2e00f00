/** Recreates the worktree of an archived workspace from the files that its removal saved (R6). */
import { refused } from '../../../shared/failure.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { projectOf } from '../../../shared/projections/ledger/project-use.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { PatchEntry } from '../../artifacts/index.ts'
import { type Git, WorktreeRefusedError } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { LeftoverStore } from '../leftovers/leftovers.ts'
import { goneFolderAdvice, isGone } from '../moved-projects/gone-folder.ts'
import type { WorkingDirs } from '../working-dirs.ts'

export type Archived = Task & { workspace: Workspace }

/** `patch` are the saved changes of the task; null if there are none. */
export interface ArchivedWorktrees {
  /** Throws FailureError (`removed`) with the obstacle and its remedy, before anything is changed. */
  refuseUnrestorable(task: Archived, patch: PatchEntry | null): Promise<void>
  /**
   * Restores uncommitted work and the leftovers in the trash too, and completes a restore that a
   * crash interrupted. Resolves with the checked-out branch. Throws FailureError, in which case
   * nothing was changed; leftovers that could not be moved are only reported.
   */
  restore(task: Archived, patch: PatchEntry | null): Promise<string | null>
}

export function createArchivedWorktrees({
  state,
  git,
  workingDirs,
  leftovers,
  onWarning,
  onProblem,
}: {
  state: Pick<LedgerState, 'projects' | 'removedProjects'>
  git: Git
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
  leftovers: Pick<LeftoverStore, 'restore'>
  onWarning: (text: string) => void
  onProblem: (text: string, error: unknown) => void
}): ArchivedWorktrees {
  async function restore(task: Archived, patch: PatchEntry | null): Promise<string | null> {
    const worktree = worktreeOf(task, patch)
    if (!worktree) return task.workspace.branch
    const branch = await restoreFiles(task, worktree)
    const { repoDir } = worktree
    const { baseCommit } = task.workspace
    if (baseCommit) await git.pinBase({ repoDir, taskId: task.id, commit: baseCommit })
    return branch
  }

  /** Resolves with the checked-out branch. */
  async function restoreFiles(
    task: Archived,
    worktree: Parameters<Git['restoreWorktree']>[0],
  ): Promise<string | null> {
    const { repoDir, path } = worktree
    // An interrupted restore leaves a partial worktree. A complete one may contain newer work.
    if (await git.isPartialWorktree(path)) await git.removePartialWorktree({ repoDir, path })
    else if (
      task.workspace.restoring &&
      (await exists(path)) &&
      (await git.isWorktreeOf(repoDir, path))
    )
      return git.currentBranch(path)
    const branch = await git.restoreWorktree(worktree)
    if (worktree.head !== worktree.final) await warnOfLineEndings(task, path)
    return branch
  }

  /** Git stored the uncommitted files with LF, so their original line endings are lost. */
  async function warnOfLineEndings({ title }: Archived, path: string): Promise<void> {
    const setting = await git.autocrlf(path)
    if (setting === null) return
    const ending = setting === 'input' ? 'LF' : 'CRLF'
    onWarning(
      `The uncommitted text files of "${title}" were restored with ${ending} line endings, because core.autocrlf is ${setting} in its repository. They may have had others.`,
    )
  }

  /** Returns null if it had no worktree of its own. */
  function worktreeOf({ title, workspace, projectDir }: Archived, patch: PatchEntry | null) {
    const { isolation, branch } = workspace
    if (isolation === 'in-place' || !branch) return null
    // Without a commit at HEAD, everything is uncommitted work on the base commit.
    const head = patch?.headCommit ?? workspace.baseCommit
    if (!patch?.finalCommit || head === null) {
      return refused(
        'removed',
        `The worktree of "${title}" can't be recreated, so only its record can be read: ${patch?.error ?? 'its changes were not saved'}.`,
      )
    }
    const path = workingDirs.worktreeRoot(workspace)
    return { repoDir: projectDir, path, branch, head, final: patch.finalCommit }
  }

  return {
    refuseUnrestorable: (task, patch) =>
      orRefused(async () => {
        const worktree = worktreeOf(task, patch)
        if (!worktree) return
        const { projectId, projectDir } = task
        if (await isGone(projectDir))
          refused('removed', goneFolderAdvice(projectOf(state, projectId), projectDir))
        await git.refuseUnrestorable(worktree)
      }),
    async restore(task, patch) {
      const branch = await orRefused(() => restore(task, patch))
      // Before the restore is recorded as complete: after a crash the next start would not move
      // them, and they would expire in the trash.
      await leftovers.restore(task).catch((error) => {
        onProblem(
          `The leftover files of the worktree of "${task.title}" are still in the trash`,
          error,
        )
      })
      return branch
    },
  }
}

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WorktreeRefusedError)) throw error
    return refused('removed', `The worktree can't be recreated: ${error.message}`)
  }
}
