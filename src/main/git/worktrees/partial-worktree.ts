/**
 * Handles worktrees whose creation was interrupted by a kill. Git locks each until every file is in
 * it.
 */
import { existsSync } from 'node:fs'
import { lstat, opendir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunGit } from '../command/run-git.ts'
import { readGitFile } from '../repository/read-git-file.ts'
import { syncPaths } from '../worktree-files/durable.ts'
import { adminDirOf } from '../worktree-files/state.ts'

/**
 * A file in Git's folder of a worktree, written before an agent works in it: then it is not partial, whatever its lock
 * says, which agents can set.
 */
export const setUpFile = 'shiplog-set-up'

/** Git's own reason in the lock of a worktree that it is creating. */
export const partialWorktreeReason = 'initializing'

/**
 * Removes the lock, durably: if a power cut brought it back, the worktree and what was done in it since
 * would be taken for partial.
 */
export async function unlockWorktree(
  git: RunGit,
  input: {
    repoDir: string
    path: string
    commonDir: string | null
    signal?: AbortSignal | undefined
  },
): Promise<void> {
  const { repoDir, commonDir, signal } = input
  await git(['worktree', 'unlock', input.path], { cwd: repoDir, signal })
  const adminDir = commonDir && (await adminDirOf(commonDir, input.path))
  if (adminDir) await syncPaths([adminDir])
}

/**
 * Reports whether the worktree is partial: it holds no work, and its missing files only look like
 * uncommitted deletions.
 */
export async function isPartialWorktree(dir: string): Promise<boolean> {
  return (await partialAdminDir(dir)) !== null || (await isEmptyFolder(dir))
}

/** Git creates the folder before it writes its `.git` file. One of an unmounted drive is empty, too. */
export async function isEmptyFolder(dir: string): Promise<boolean> {
  try {
    await using folder = await opendir(dir)
    return (await folder.read()) === null
  } catch {
    return false
  }
}

/**
 * Removes Git's administrative folder of a partial worktree: without a commit in it, `git fsck`
 * reports the whole repository, and Git never prunes a locked one. The worktree's own folder stays.
 * No error if it is not partial.
 */
export async function forgetPartialWorktree(dir: string): Promise<void> {
  const adminDir = await partialAdminDir(dir)
  if (adminDir !== null) await rm(adminDir, { recursive: true, force: true })
}

/** Returns Git's own folder for it, in the repository. */
async function partialAdminDir(dir: string): Promise<string | null> {
  try {
    const pointer = path.join(dir, '.git')
    // Reading a pipe would block forever.
    if (!(await lstat(pointer)).isFile()) return null
    const gitFile = readGitFile(pointer)
    const [, named] = /^gitdir: (.+)\n?$/.exec(gitFile) ?? []
    if (named === undefined) return null
    const adminDir = path.resolve(dir, named)
    if (existsSync(path.join(adminDir, setUpFile))) return null
    const reason = readGitFile(path.join(adminDir, 'locked'))
    return reason.trim() === partialWorktreeReason ? adminDir : null
  } catch {
    return null
  }
}
