/** Restores a removed worktree: its branch, its commits, and its uncommitted work. */
import { mkdir, rmdir } from 'node:fs/promises'
import type { TaskId } from '../../../shared/records/ids.ts'
import { submoduleMode, symlinkMode, treeChanges } from '../changes/tree-changes.ts'
import { WorktreeRefusedError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'
import { releaseSnapshot } from '../snapshots/kept-snapshots.ts'
import { copyIntoRepository } from '../store/copy.ts'
import { reading } from '../store/store.ts'
import { syncWorktree } from '../worktree-files/sync.ts'
import { hideAdminDir } from './hidden-folder.ts'
import { refuseLinkedFolders } from './linked-folders.ts'
import {
  isEmptyFolder,
  isPartialWorktree,
  partialWorktreeReason,
  unlockWorktree,
} from './partial-worktree.ts'
import { foldersWithBranch } from './registered.ts'
import { writeOutsideSparseCheckout } from './sparse-checkout.ts'
import type { KeptUnfinished } from './unfinished.ts'
import { removeWorktree } from './worktrees.ts'

export interface RestorableInput {
  repoDir: string
  /** Absolute; must not exist, but may be partial until it is restored. */
  path: string
  /** The last commit of its branch when the worktree was removed. */
  head: string
  /** A commit that holds everything, uncommitted work included: `SavedPatch.finalCommit`. */
  final: string
}

export interface RestoreWorktreeInput extends RestorableInput {
  /** A folder in it that is created if it is missing. Absolute. */
  folder?: string
  /** Its former branch, recreated at `head` if it was deleted. */
  branch: string
  /** Throws (`branch-in-use`) instead of creating another branch. */
  onlyThatBranch?: boolean
  /** The task whose worktree it is, if its folder may have been deleted without its removal. */
  taskId?: TaskId
  /** Called if Git's folder of it named what neither `head` nor `final` has (`unfinished.ts`). */
  onKept?: (kept: KeptUnfinished) => void
}

/**
 * Restores a worktree. If the branch has moved since, a new one (`<branch>-restored`) is created at
 * `head`. Resolves with the checked-out branch. Throws WorktreeRefusedError (as
 * `refuseUnrestorable`, and `branch-in-use`); a failure changes nothing, but what was kept stays kept. `isPartialWorktree`
 * detects the result of a kill.
 */
export async function restoreWorktree(git: RunGit, input: RestoreWorktreeInput): Promise<string> {
  await refuseUnrestorable(git, input)
  const commonDir = await commonDirOf(git, input.repoDir)
  if (commonDir !== null) await refuseLinkedFolders(commonDir, input.branch)
  // If the folder was deleted by hand, Git still considers its branch checked out there.
  const hidden = await hideAdminDir(git, { ...input, commonDir })
  const branch = await recreateWorktree(git, input).catch(async (error) => {
    await hidden.reinstate()
    throw error
  })
  await hidden.discard()
  return branch
}

/** Checks in advance whether a worktree can be restored. Throws WorktreeRefusedError. */
export async function refuseUnrestorable(
  git: RunGit,
  { repoDir, path, head, final }: RestorableInput,
): Promise<void> {
  if ((await commonDirOf(git, repoDir)) === null) {
    throw new WorktreeRefusedError(
      'no-repository',
      `${repoDir} is missing or no longer a Git repository; restore it first.`,
    )
  }
  for (const commit of [head, final]) {
    if ((await resolveCommit(reading(git, repoDir), repoDir, commit)) !== null) continue
    throw new WorktreeRefusedError(
      'unknown-commit',
      `The commit ${commit} is no longer in ${repoDir}.`,
    )
  }
  if (exists(path) && !(await isPartialWorktree(path))) {
    throw new WorktreeRefusedError('path-exists', `${path} exists; move it away first.`)
  }
}

/**
 * Removes a partial worktree, but not what Git still has about one whose folder is only empty: a restore keeps that. Does
 * nothing to any other: another program may have put files there since the caller looked.
 */
export async function removePartialWorktree(
  git: RunGit,
  { repoDir, path }: { repoDir: string; path: string },
): Promise<void> {
  if (await isEmptyFolder(path)) await rmdir(path)
  else if (await isPartialWorktree(path)) await removeWorktree(git, { repoDir, path })
}

async function recreateWorktree(git: RunGit, input: RestoreWorktreeInput): Promise<string> {
  const { repoDir, path, head, final, folder = path } = input
  await copyIntoRepository(git, repoDir, head)
  const all = reading(git, repoDir)
  const branch = await freeBranch(git, input)
  const isNew = (await resolveCommit(git, repoDir, `refs/heads/${branch}`)) === null
  const checkout = isNew ? ['--no-track', '-b', branch, '--', path, head] : ['--', path, branch]
  try {
    const locked = ['--no-checkout', '--lock', '--reason', partialWorktreeReason]
    await git(['worktree', 'add', '--quiet', ...locked, ...checkout], { cwd: repoDir })
    // First the files as they were last, then the index from the branch, so that the work is
    // uncommitted.
    const checksOut = { from: null, to: final }
    await all(['read-tree', '-u', '--reset', final], { cwd: path, checksOut })
    await writeOutsideSparseCheckout(all, { dir: path, from: head, to: final })
    // Merged, not replaced: the entries keep the mark of files outside a sparse checkout.
    await git(['read-tree', '--reset', head], { cwd: path })
    await git(['update-index', '-q', '--refresh'], { cwd: path, okExitCodes: [0, 1] })
    const commonDir = await commonDirOf(git, repoDir)
    if (commonDir !== null) {
      const uncommitted = await filesBetween(all, { dir: path, from: head, to: final })
      await syncWorktree({ commonDir, root: path, branch, uncommitted })
    }
    // Before Git's former folder is discarded: a file may be in its place.
    await mkdir(folder, { recursive: true })
    await unlockWorktree(git, { repoDir, path, commonDir })
    await releaseSnapshot(git, repoDir, head)
    return branch
  } catch (error) {
    const ours = isNew ? { branch, branchAt: head } : {}
    await removeWorktree(git, { repoDir, path, ...ours }).catch(() => {})
    throw error
  }
}

/** Returns the files that `to` adds: links are part of their folders. */
async function filesBetween(
  git: RunGit,
  range: { dir: string; from: string; to: string },
): Promise<string[]> {
  const changes = await treeChanges(git, range)
  return changes.flatMap(({ status, newMode, path }) =>
    status === 'D' || newMode === symlinkMode || newMode === submoduleMode ? [] : [path],
  )
}

/**
 * Returns the branch itself if it has not moved and is not checked out anywhere, else a new name.
 */
async function freeBranch(
  git: RunGit,
  { repoDir, branch, head, onlyThatBranch = false }: RestoreWorktreeInput,
): Promise<string> {
  const usable = async (name: string) => {
    const tip = await resolveCommit(git, repoDir, `refs/heads/${name}`)
    return (
      tip === null ||
      (tip === head && (await foldersWithBranch(git, { repoDir, branch: name })).length === 0)
    )
  }
  if (await usable(branch)) return branch
  if (onlyThatBranch) {
    throw new WorktreeRefusedError(
      'branch-in-use',
      `The branch ${branch} is checked out elsewhere; check out another one there.`,
    )
  }
  for (let n = 1; ; n++) {
    const name = `${branch}-restored${n === 1 ? '' : `-${n}`}`
    if (await usable(name)) return name
  }
}
