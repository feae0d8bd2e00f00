/** Worktrees whose making was cut short by a kill. Git locks each until every file is in it. */
import { lstat, rm } from 'node:fs/promises'
import path from 'node:path'
import { readGitFile } from '../repository/read-git-file.ts'

/** Git's own word in the lock of a worktree that it is making. */
export const partialWorktreeReason = 'initializing'

/** It holds no work: its missing files only look like uncommitted deletions. */
export async function isPartialWorktree(dir: string): Promise<boolean> {
  return (await partialAdminDir(dir)) !== null
}

/**
 * Takes Git's note of a half-made worktree away: without a commit in it, `git fsck` finds fault with the
 * whole repository, and Git never prunes what is locked. The folder stays; no half-made one is fine.
 */
export async function forgetPartialWorktree(dir: string): Promise<void> {
  const adminDir = await partialAdminDir(dir)
  if (adminDir !== null) await rm(adminDir, { recursive: true, force: true })
}

/** Git's own folder for it, in the repository. */
async function partialAdminDir(dir: string): Promise<string | null> {
  try {
    const pointer = path.join(dir, '.git')
    // A pipe would be waited for without end.
    if (!(await lstat(pointer)).isFile()) return null
    const gitFile = await readGitFile(pointer)
    const [, named] = /^gitdir: (.+)\n?$/.exec(gitFile) ?? []
    if (named === undefined) return null
    const adminDir = path.resolve(dir, named)
    const reason = await readGitFile(path.join(adminDir, 'locked'))
    return reason.trim() === partialWorktreeReason ? adminDir : null
  } catch {
    return null
  }
}
