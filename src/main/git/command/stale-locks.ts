/**
 * Removes lock files left behind by a killed Git process. Git never removes one, so every later
 * call that needs the lock would fail.
 */
import { stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from './errors.ts'

/**
 * Returns the lock file that a call failed on, as Git prints it; null if the error has another
 * cause.
 */
export function blockingLock(error: unknown): string | null {
  if (!(error instanceof GitError)) return null
  return /Unable to create '(.+\.lock)': File exists/.exec(error.stderr)?.[1] ?? null
}

/**
 * Removes the lock if it belongs to a ref that only Shiplog writes, and is unchanged since before
 * `waitedSinceMs` (since the epoch). Git holds such a lock for a few milliseconds, and only one
 * process of Shiplog at a time uses it. Any other lock may be the user's, whose `git commit` can
 * take as long as its hooks: it stays, and the error contains the remedy. Resolves with whether the
 * lock was removed.
 */
export async function removeOwnStaleLock(
  error: unknown,
  { cwd, waitedSinceMs }: { cwd: string; waitedSinceMs: number },
): Promise<boolean> {
  const named = blockingLock(error)
  if (named === null || !ownRefLock.test(named)) return false
  const file = path.resolve(cwd, named)
  const found = await stat(file).catch(() => null)
  if (found && found.mtimeMs >= waitedSinceMs) return false
  await unlink(file).catch(() => {})
  return true
}

const ownRefLock = /[\\/]refs[\\/](?:shiplog|heads[\\/]shiplog)[\\/][^\\/]+\.lock$/
