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
 * process of Shiplog at a time uses it. In `store`, a store of Shiplog's, all locks are its own, but
 * one of all refs may be held for longer, so it has to be older than this process. Any other lock
 * may be the user's, whose `git commit` can take as long as its hooks: it stays, and the error
 * contains the remedy. Resolves with whether the lock was removed.
 */
export async function removeOwnStaleLock(
  error: unknown,
  { cwd, store, waitedSinceMs }: { cwd: string; store: string | null; waitedSinceMs: number },
): Promise<boolean> {
  const named = blockingLock(error)
  if (named === null) return false
  const file = path.resolve(cwd, named)
  const isOwnRef = ownRefLock.test(named)
  const isInStore = store !== null && file.startsWith(path.resolve(store) + path.sep)
  if (!isOwnRef && !isInStore) return false
  const found = await stat(file).catch(() => null)
  const staleBeforeMs = isOwnRef ? waitedSinceMs : performance.timeOrigin
  if (found && found.mtimeMs >= staleBeforeMs) return false
  await unlink(file).catch(() => {})
  return true
}

const ownRefLock =
  /[\\/]refs[\\/](?:shiplog[\\/](?:[^\\/]+[\\/])*|heads[\\/]shiplog[\\/])[^\\/]+\.lock$/
