/**
 * The environment and the settings of every Git process. Both are lists of what is wanted: a variable
 * that Git learns to read tomorrow is not passed on, and a setting of a repository that names a program
 * is switched off here or in `command-settings.ts`.
 */
import { delimiter, join } from 'node:path'

/** What Git, SSH and a person's own filters need of the host. Names are compared without case on Windows. */
const wantedVariables = [
  // Programs and the person's own files.
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LD_LIBRARY_PATH',
  'DEVELOPER_DIR',
  // Where the person's own Git configuration is. No other GIT_ variable is passed on.
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  // For a fetch that was allowed, and for Git LFS.
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  // Without these no program starts on Windows, or it does not find the person's files.
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'USERNAME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
]

/** Git knows no protocol of this name, so it uses none. An empty list would mean the defaults. */
const noProtocol = 'none'

/** `-c` settings of every call. An older Git ignores the ones that it does not know. */
export const settings = [
  'core.quotepath=off',
  // What a repository could have Git execute.
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.alternateRefsCommand=true',
  'commit.gpgSign=false',
  'log.showSignature=false',
  // Files that make a folder look like a bare repository travel in a clone (Git 2.38 and newer).
  'safe.bareRepository=explicit',
  // Names that another system takes for `.git` are refused on every system.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // What would fail a snapshot, or start work in the background.
  'core.safecrlf=false',
  'core.splitIndex=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'i18n.commitEncoding=UTF-8',
  'color.ui=false',
].flatMap((setting) => ['-c', setting])

interface Ceilings {
  /**
   * Folders that Git does not go up into when it looks for the repository of a folder below them. The data
   * directory is one: below it, an enclosing repository is never meant.
   */
  ceilings: readonly string[]
}

/** The environment of each Git process. `host`: the environment that Shiplog was started with. */
export function gitEnvironment(host: NodeJS.ProcessEnv, { ceilings }: Ceilings): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  const wanted = new Set(wantedVariables.map(comparable))
  for (const [name, value] of Object.entries(host))
    if (wanted.has(comparable(name))) env[name] = value
  return {
    ...env,
    ...ceilingVariables(ceilings),
    LC_ALL: 'C',
    // Nobody is there to be asked.
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
    // The network is not used unasked. Git 2.45 (2.39.4 of its line) knows the first; the second stops others.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: noProtocol,
    // A `git status` of ours must never be what blocks the person's own command.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
  }
}

/**
 * What a shell of an agent, or a set-up command, gets for the `git` that runs in it: after the agent has
 * deleted the `.git` of its worktree Git finds no enclosing repository, and no folder that only looks like a
 * bare repository counts as one.
 */
export function shellGitEnvironment({ ceilings }: Ceilings): Record<string, string> {
  return {
    ...ceilingVariables(ceilings),
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.bareRepository',
    GIT_CONFIG_VALUE_0: 'explicit',
  }
}

/**
 * A path with the list's separator in it can't be named: then the check of a worktree's root
 * (`worktree-root.ts`) is what refuses an enclosing repository.
 */
function ceilingVariables(ceilings: readonly string[]): Record<string, string> {
  const named = ceilings.filter((dir) => !dir.includes(delimiter))
  return named.length === 0 ? {} : { GIT_CEILING_DIRECTORIES: named.join(delimiter) }
}

const comparable = (name: string): string =>
  process.platform === 'win32' ? name.toUpperCase() : name

/** Where Git looks for the person's own configuration with this environment, whether it is there or not. */
export function personalFilesIn(env: NodeJS.ProcessEnv): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [env.GIT_CONFIG_GLOBAL]
  const home = env.HOME ?? env.USERPROFILE
  const folder = env.XDG_CONFIG_HOME || (home && join(home, '.config'))
  return [
    ...(home ? [join(home, '.gitconfig')] : []),
    ...(folder ? [join(folder, 'git/config')] : []),
  ]
}
