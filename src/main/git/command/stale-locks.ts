/**
 * Lock files that a Git left which was killed. Git itself never takes one away: whoever needs it next
 * would be refused for ever.
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
 * Takes the lock away if it is that of a ref which only Shiplog writes and has been there, untouched,
 * since before `waitedSinceMs` (since the epoch). Git holds such a lock for a few milliseconds, and one
 * process of Shiplog at a time uses it. All others may be a person's, whose `git commit` can take as long
 * as its hooks do: they stay, and the error says what to do. Resolves with whether it is gone.
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
