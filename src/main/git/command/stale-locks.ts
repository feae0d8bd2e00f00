/**
 * Lock files left behind by a killed Git process. Git never removes one, so every later call that needs the lock
 * would fail.
 */
import { stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from './errors.ts'

/** The lock file, as Git names it, that a call was refused for; null when that was not why. */
export function lockInTheWay(error: unknown): string | null {
  if (!(error instanceof GitError)) return null
  return /Unable to create '(.+\.lock)': File exists/.exec(error.stderr)?.[1] ?? null
}

/**
 * Removes the lock if it is that of a ref which only Shiplog writes, and it is unchanged since before `waitedSinceMs`
 * (since the epoch). Git holds such a lock for a few milliseconds, and one process of Shiplog at a time uses it. Any
 * other lock may be the user's, whose `git commit` can take as long as its hooks do: it stays, and the error contains
 * the remedy. Resolves with whether the lock was removed.
 */
export async function takeAwayOwnLock(
  error: unknown,
  { cwd, waitedSinceMs }: { cwd: string; waitedSinceMs: number },
): Promise<boolean> {
  const named = lockInTheWay(error)
  if (named === null || !ownRefLock.test(named)) return false
  const file = path.resolve(cwd, named)
  const found = await stat(file).catch(() => null)
  if (found && found.mtimeMs >= waitedSinceMs) return false
  await unlink(file).catch(() => {})
  return true
}

const ownRefLock = /[\\/]refs[\\/](?:shiplog|heads[\\/]shiplog)[\\/][^\\/]+\.lock$/
