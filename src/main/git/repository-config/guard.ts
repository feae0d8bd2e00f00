/** Overrides the commands of a repository's own configuration until the user allows them (K8). */
import path from 'node:path'
import type { GitRunOptions, RunGit } from '../command/run-git.ts'
import { bringsScripts } from './brought-scripts.ts'
import type { Place, ReadConfig } from './configuration.ts'
import { asVariables, readRepositoryConfig } from './read.ts'

/** Reports whether the user allowed a repository's commands, by their `sha256`. */
export type IsAllowed = (sha256: string) => boolean

/** Protocols of an allowed fetch. `ext` and other helpers would run commands. */
const fetchProtocols = 'https:ssh:file'
const fetchVariables = {
  // Removed instead of set to 0: upload-pack would inherit a 0, and could then fetch from a remote
  // itself.
  GIT_NO_LAZY_FETCH: undefined,
  GIT_ALLOW_PROTOCOL: fetchProtocols,
}
/** Folders whose configuration is cached: more than there are active worktrees and projects. */
const cachedMax = 500

/**
 * Returns a function that resolves with the variables to add for Git in a folder. `git` is
 * unguarded. `personal` are the paths of the user's own configuration, whether they exist or not.
 */
export function createConfigGuard(git: RunGit, isAllowed: IsAllowed, personal: readonly string[]) {
  const cached = new Map<string, ReadConfig>()
  const personalFiles = new Set(personal)

  async function readOf(place: Place): Promise<ReadConfig> {
    const key = JSON.stringify(place)
    const known = cached.get(key)
    if (known?.fingerprint && known.fingerprint.now() === known.fingerprint.then) return known
    cached.delete(key)
    const read = await readRepositoryConfig(git, place, personalFiles)
    for (const file of read.personalFiles) personalFiles.add(file)
    if (read.fingerprint) {
      if (cached.size >= cachedMax) cached.clear()
      cached.set(key, read)
    }
    return read
  }

  /**
   * Returns a value that changes with the configuration; null if nothing is cached, or changes
   * can't be detected.
   */
  async function stampOf(place: Place): Promise<string | null> {
    const { then, now } = cached.get(JSON.stringify(place))?.fingerprint ?? {}
    return then !== undefined && now?.() === then ? then : null
  }

  async function variablesFor(
    place: Place,
    call: GitRunOptions,
  ): Promise<Record<string, string | undefined>> {
    const read = await readOf(place)
    const { asks, always, withoutCommands, forFetching } = read
    const { checksOut } = call
    const isRefused =
      asks !== null &&
      (!isAllowed(asks.sha256) ||
        (checksOut !== undefined && (await bringsScripts(git, read, { ...call, checksOut }))))
    const instead = [...always, ...(isRefused ? withoutCommands : forFetching)]
    return {
      ...(instead.length > 0 ? asVariables(instead) : {}),
      ...(asks !== null && asks.fetches.length > 0 && !isRefused ? fetchVariables : {}),
      // An installed module (`python3 -m …`) would load others from the working tree first. Python 3.11.
      ...(read.isPythonForeign && !isRefused ? { PYTHONSAFEPATH: '1' } : {}),
    }
  }

  return { readOf, stampOf, variablesFor }
}

/**
 * Returns the repository of a call: its arguments may specify another one than that of its folder.
 */
export const placeOf = (
  args: readonly string[],
  { cwd, env }: { cwd: string; env?: Record<string, string | undefined> | undefined },
): Place => {
  const gitDir = (args[0] === '--git-dir' ? args[1] : env?.GIT_DIR) ?? null
  if (gitDir === null) return { dir: cwd, gitDir, workTree: null }
  // The repository is given explicitly, in any folder.
  const named = path.resolve(cwd, gitDir)
  const [, , option, folder] = args
  const workTree =
    option === '--work-tree' && folder !== undefined ? path.resolve(cwd, folder) : null
  return { dir: named, gitDir: named, workTree }
}

/**
 * Subcommands that read no file of a working tree, need no object that could be missing, and change
 * no reference.
 */
const harmless = new Set(['config', 'check-ref-format', '--version', 'mailsplit'])

export const needsGuard = ([subcommand = '', ...rest]: readonly string[]): boolean =>
  !harmless.has(subcommand) &&
  !(subcommand === 'rev-parse' && !rest.some((one) => one === '--verify' || one === '--revs-only'))
