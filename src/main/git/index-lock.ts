/** The lock of a worktree's index, which a Git that was killed leaves behind. */
import { stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { line, type RunGit } from './run.ts'

/**
 * Takes the index's lock of a worktree away that a killed `git commit` of its agent left there before
 * `beforeMs` (since the epoch). Only for a worktree of Shiplog's own in which no agent runs. Resolves with
 * whether there was one.
 */
export async function takeAwayIndexLock(
  git: RunGit,
  { dir, beforeMs }: { dir: string; beforeMs: number },
): Promise<boolean> {
  const answer = await git(['rev-parse', '--git-path', 'index.lock'], { cwd: dir })
  const file = path.resolve(dir, line(answer))
  const found = await stat(file).catch(() => null)
  if (found === null || found.mtimeMs >= beforeMs) return false
  await unlink(file)
  return true
}
