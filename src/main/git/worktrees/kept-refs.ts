/** The references that keep the base commits of worktrees, and the final states of removed ones. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { lacksReference, lacksReferenceIn } from '../repository/git-dir.ts'
import { committedBase } from '../repository/history.ts'
import { releaseSnapshot, releasing } from '../snapshots/kept-snapshots.ts'
import { retryIfPruned, withQuarantine } from '../snapshots/quarantine.ts'
import { objectsOfWork } from '../store/copy.ts'
import { inStore, reading, storesAt } from '../store/store.ts'

/**
 * Keeps the tip of a task's work before its worktree and branch are deleted: in the store for its
 * repository, with all objects that it needs; without a store in the repository, under a hidden
 * ref. Overwrites an older one. `base` is the worktree's base commit.
 */
export async function keepRef(
  git: RunGit,
  repoDir: string,
  { taskId, commit, base }: { taskId: TaskId; commit: string; base: string | null },
): Promise<void> {
  if (git.storesOf(repoDir).length === 0) {
    await git(['update-ref', '--no-deref', '--stdin'], {
      cwd: repoDir,
      input: `update ${hiddenRef(taskId)} ${commit}\n${releasing(commit)}`,
    })
    return
  }
  const all = reading(git, repoDir)
  await retryIfPruned(async () => {
    const since = base === null ? null : await committedBase(all, { dir: repoDir, commit: base })
    await withQuarantine(git, repoDir, async (quarantine) => {
      const work = { dir: repoDir, tip: commit, base, since }
      const ids = await objectsOfWork(quarantine.git, work)
      await quarantine.keep({ ref: hiddenRef(taskId), commit, ids })
    })
  })
  await releaseSnapshot(git, repoDir, commit)
}

/**
 * Keeps a worktree's base commit in its repository, so that it survives any change to the branch by
 * the agent. Does nothing if the repository has lost it.
 */
export async function pinBase(
  git: RunGit,
  { repoDir, taskId, commit }: { repoDir: string; taskId: TaskId; commit: string },
): Promise<void> {
  try {
    await git(['update-ref', '--no-deref', basePin(taskId), commit], { cwd: repoDir })
  } catch (error) {
    if ((await resolveCommit(git, repoDir, commit)) !== null) throw error
  }
}

/** Deletes the reference of `pinBase`. A missing one is no error. */
export async function unpinBase(git: RunGit, repoDir: string, taskId: TaskId): Promise<void> {
  if ((await commonDirOf(git, repoDir)) === null) return
  await git(['update-ref', '--no-deref', '-d', basePin(taskId)], { cwd: repoDir })
}

/** Returns the commit that `keepRef` kept; null if there is none. */
export async function keptCommit(
  git: RunGit,
  repoDir: string,
  taskId: TaskId,
): Promise<string | null> {
  const ref = hiddenRef(taskId)
  for (const store of storesAt(git, repoDir)) {
    if (lacksReferenceIn(store, ref)) continue
    const found = await resolveCommit(inStore(git, store), store, ref)
    if (found !== null) return found
  }
  return resolveCommit(git, repoDir, ref)
}

/** Deletes the task's hidden reference in the repository. A missing one is no error. */
export async function deleteRef(git: RunGit, repoDir: string, taskId: TaskId): Promise<void> {
  if (lacksReference(repoDir, hiddenRef(taskId))) return
  await git(['update-ref', '--no-deref', '-d', hiddenRef(taskId)], { cwd: repoDir })
}

const hiddenRef = (taskId: TaskId) => `refs/shiplog/${taskId}`
const basePin = (taskId: TaskId) => `refs/shiplog/base/${taskId}`
