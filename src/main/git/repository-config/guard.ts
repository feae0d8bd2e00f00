/** Puts in the place of what a repository's own configuration would run, until the person allowed it (K8). */
import type { RunGit } from '../run.ts'
import { asVariables, type Place, type ReadConfig, readRepositoryConfig } from './read.ts'

/** Whether the person allowed what a repository asks for, by its `sha256`. */
export type IsAllowed = (sha256: string) => boolean

/** Protocols of a fetch that was allowed. `ext` and other helpers would run commands. */
const fetchProtocols = 'https:ssh:file'
/** Folders whose configuration is remembered: more than there are worktrees and projects at work. */
const rememberedMax = 500

/** Resolves with the variables to add for Git in a folder. `git`: unguarded. */
export function createConfigGuard(git: RunGit, isAllowed: IsAllowed) {
  const remembered = new Map<string, { fingerprint: string; read: ReadConfig }>()

  async function readOf(place: Place): Promise<ReadConfig> {
    const key = JSON.stringify(place)
    const known = remembered.get(key)
    if (known?.read.fingerprint && (await known.read.fingerprint()) === known.fingerprint)
      return known.read
    remembered.delete(key)
    const read = await readRepositoryConfig(git, place)
    if (read.fingerprint) {
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(key, { fingerprint: await read.fingerprint(), read })
    }
    return read
  }

  async function variablesFor(place: Place): Promise<Record<string, string>> {
    const { asks, withoutCommands, forFetching } = await readOf(place)
    if (asks === null) return {}
    if (!isAllowed(asks.sha256)) return asVariables(withoutCommands)
    if (asks.fetches.length === 0) return {}
    return {
      ...asVariables(forFetching),
      GIT_NO_LAZY_FETCH: '0',
      GIT_ALLOW_PROTOCOL: fetchProtocols,
    }
  }

  return { readOf, variablesFor }
}

/** Where a call finds its repository: a call may name one that is not that of its folder. */
export const placeOf = (
  args: readonly string[],
  { cwd, env }: { cwd: string; env?: Record<string, string> | undefined },
): Place => ({
  dir: cwd,
  gitDir: (args[0] === '--git-dir' ? args[1] : env?.GIT_DIR) ?? null,
})

/** Subcommands that read no file of a working tree and no object that could be missing. */
const harmless = new Set(['config', 'check-ref-format', '--version', 'mailsplit', 'symbolic-ref'])

export const needsGuard = ([subcommand = '', ...rest]: readonly string[]): boolean =>
  !harmless.has(subcommand) &&
  !(subcommand === 'rev-parse' && !rest.some((one) => one === '--verify' || one === '--revs-only'))
