import { GitError } from '../command/errors.ts'
import type { Setting } from './configuration.ts'

/** Legitimate repositories have a few. Each is overridden in the environment of every call, which has limits of its own. */
const settingsMax = 1_000
const charsMax = 100 * 1024
/** Git is asked for the address of each. */
const remotesMax = 50

/**
 * The size of the list of all settings, which names the file of each: with fifty thousand branches. Git reads them all in each
 * call, and a run makes a hundred.
 */
export const listBytesMax = 8 * 1024 * 1024

export const tooLarge = (dir: string): GitError =>
  new GitError(
    ['config', '--list'],
    null,
    `fatal: the Git configuration in ${dir} has more settings than Git reads in a second: see .git/config, and remove those that are not needed`,
  )

/** Throws GitError if a repository has too many commands or remotes to be shown and allowed. */
export function assertReviewable(
  dir: string,
  settings: readonly Setting[],
  remotes: ReadonlySet<string>,
): void {
  const chars = settings.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
  if (settings.length <= settingsMax && chars <= charsMax && remotes.size <= remotesMax) return
  const found =
    remotes.size > remotesMax
      ? `${remotes.size} remotes of a partial clone`
      : `${settings.length} commands and remotes of ${Math.ceil(chars / 1024)} KB`
  throw new GitError(
    ['config', '--list'],
    null,
    `fatal: the repository's Git configuration in ${dir} names ${found}, more than anybody reviews before allowing them. Remove them from .git/config if you trust the repository.`,
  )
}
