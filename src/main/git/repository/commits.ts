/** Reads the commits, trees and branch of a repository. */
import { GitError } from '../command/errors.ts'
import { line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { lacksReference, readGitDir } from './git-dir.ts'

export interface Where {
  signal?: AbortSignal | undefined
}

/** Returns the commit of HEAD; null before the first one. */
export async function head(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<string | null> {
  return resolveCommit(git, dir, 'HEAD', { signal })
}

/** Returns the full id of a commit; null if there is no such commit. */
export async function resolveCommit(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string | null> {
  if (name.startsWith('refs/')) {
    await git.ensureWorktree(dir)
    if (lacksReference(dir, name)) return null
  }
  const result = await git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    { cwd: dir, signal, okExitCodes: [0, 1, 128] },
  )
  // Git exits with 128 for an invalid name too; an error of the repository itself must not be mistaken for one.
  if (result.exitCode === 128 && result.stderr.includes('repository')) {
    throw new GitError(['rev-parse', name], result.exitCode, result.stderr)
  }
  return result.exitCode === 0 ? line(result) : null
}

/** Returns the tree of a commit, or of a tree. */
export async function treeOf(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`]
  return line(await git(args, { cwd: dir, signal }))
}

/** Returns the tree of a commit, or of a tree; null if there is neither. */
export async function findTree(git: RunGit, dir: string, name: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`]
  const result = await git(args, { cwd: dir, okExitCodes: [0, 1, 128] })
  return result.exitCode === 0 ? line(result) : null
}

/** Returns the tree of a commit; null if there is no such commit. Costs one Git process if it exists. */
export async function treeOfCommit(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string | null> {
  try {
    return await treeOf(git, dir, `${name}^{commit}`, { signal })
  } catch (error) {
    if ((await resolveCommit(git, dir, name, { signal })) === null) return null
    throw error
  }
}

/** Returns the checked-out branch without `refs/heads/`; null if HEAD is detached. */
export async function currentBranch(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<string | null> {
  await git.ensureWorktree(dir)
  const found = readGitDir(dir)
  if (found !== null) return found.branch
  const result = await git(['symbolic-ref', '--quiet', 'HEAD'], {
    cwd: dir,
    signal,
    okExitCodes: [0, 1],
  })
  if (result.exitCode === 1) return null
  return line(result).replace(/^refs\/heads\//, '')
}

/**
 * Reports whether nothing is staged, changed or untracked. Ignored files and the content of
 * submodules do not count.
 */
export async function isClean(git: RunGit, dir: string, { signal }: Where = {}): Promise<boolean> {
  const result = await git(
    [
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=normal',
      '--no-renames',
      ...notIntoSubmodules,
    ],
    // Any output means that it is not clean.
    { cwd: dir, signal, stdoutBytesMax: 1, cut: true },
  )
  return result.stdout.length === 0
}
