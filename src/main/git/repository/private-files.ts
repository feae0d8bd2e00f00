/**
 * Files that Git keeps for one worktree alone: the lock of its index, and one for Shiplog's own
 * use.
 */
import { stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { line, type RunGit } from '../command/run-git.ts'
import { readGitDir } from './git-dir.ts'

/**
 * Removes the index lock of a worktree that a killed `git commit` of its agent left there before
 * `beforeMs` (since the epoch). Only for a worktree of Shiplog's own in which no agent runs.
 * Resolves with whether there was one.
 */
export async function removeStaleIndexLock(
  git: RunGit,
  { dir, beforeMs }: { dir: string; beforeMs: number },
): Promise<boolean> {
  const file = await privateFile(git, dir, 'index.lock')
  const found = await stat(file).catch(() => null)
  if (found === null || found.mtimeMs >= beforeMs) return false
  await unlink(file)
  return true
}

/** Returns the path of a file that Git keeps for this worktree alone. */
export async function privateFile(git: RunGit, dir: string, name: string): Promise<string> {
  await git.ensureWorktree(dir)
  const found = readGitDir(dir)
  if (found !== null) return path.join(found.gitDir, name)
  const answer = await git(['rev-parse', '--git-path', name], { cwd: dir })
  return path.resolve(dir, line(answer))
}
