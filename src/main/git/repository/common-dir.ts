/** Where a repository's `.git` folders are. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import { line, type RunGit } from '../command/run-git.ts'
import type { Where } from './commits.ts'
import { readGitDir } from './git-dir.ts'
import { nearestRepository } from './nearest-repository.ts'

/** With `settings`, Git 2.38 and newer refuses a folder that only looks like a repository. */
export const isBareRefusal = (error: GitError): boolean =>
  error.stderr.includes('safe.bareRepository')

/**
 * Returns the `.git` folder that all worktrees of a repository share. Null if there is no
 * repository.
 */
export async function commonDirOf(
  git: RunGit,
  repoDir: string,
  { signal }: Where = {},
): Promise<string | null> {
  const there = await stat(repoDir).catch(() => null)
  if (there === null) return null
  await git.ensureWorktree(repoDir)
  const found = readGitDir(repoDir)
  if (found !== null) return realpath(found.commonDir)
  try {
    const answer = await git(['rev-parse', '--git-common-dir'], { cwd: repoDir, signal })
    return await realpath(path.resolve(repoDir, line(answer)))
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (error.stderr.includes('not a git repository') || isBareRefusal(error)) return null
    throw error
  }
}

/** Returns false if Git would find no repository, which saves a Git process. */
export async function isInRepository(git: RunGit, dir: string): Promise<boolean> {
  await git.ensureWorktree(dir)
  return nearestRepository(await realpath(dir)) !== null
}

/** The folder of this working tree alone, and the one that all worktrees share. Real paths; null outside a repository. */
export async function gitDirsOf(
  git: RunGit,
  dir: string,
): Promise<{ gitDir: string; commonDir: string } | null> {
  const commonDir = await commonDirOf(git, dir)
  if (commonDir === null) return null
  const found = readGitDir(dir)
  const gitDir =
    found?.gitDir ?? path.resolve(dir, line(await git(['rev-parse', '--git-dir'], { cwd: dir })))
  return { gitDir: await realpath(gitDir), commonDir }
}
