/**
 * The environment and the settings of every Git process. Both are allow lists: a variable that a future Git reads is
 * not passed on, and a repository setting that runs a program is disabled here or in `command-settings.ts`.
 */
import { devNull } from 'node:os'
import { delimiter, join } from 'node:path'
import { absoluteEntries } from '../../processes/find-on-path.ts'

/**
 * Variables of the host that Git, SSH and the user's own filters need. Names are case-insensitive
 * on Windows.
 */
const wantedVariables = [
  // Programs and the user's own files.
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
  // The location of the user's own Git configuration. No other GIT_ variable is passed on.
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  // For an allowed fetch, and for Git LFS.
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
  // Without these no program starts on Windows, or it does not find the user's files.
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

/** No protocol has this name, so none is allowed. An empty list would mean the defaults. */
const noProtocol = 'none'

/** `-c` settings of every call. An older Git ignores unknown ones. */
export const settings = [
  'core.quotepath=off',
  // Settings through which a repository could run programs.
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.alternateRefsCommand=true',
  'commit.gpgSign=false',
  'log.showSignature=false',
  // Files that make a folder look like a bare repository may come with a clone (Git 2.38 and
  // newer).
  'safe.bareRepository=explicit',
  // Names that another system treats as `.git` are refused on every system.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // Settings that would make a snapshot fail or miss changes, or start background work.
  'core.safecrlf=false',
  'core.ignoreStat=false',
  'diff.orderFile=/dev/null',
  // Other names of authors, from a file that a repository names: Git would wait for a named pipe there, with no end.
  'log.mailmap=false',
  'core.splitIndex=false',
  // Git would wait for a lock without end, or start as many processes or threads as a repository says.
  'core.filesRefLockTimeout=100',
  'core.packedRefsTimeout=1000',
  'reftable.lockTimeout=100',
  'checkout.workers=1',
  'pack.threads=0',
  'index.threads=0',
  'submodule.recurse=false',
  // One call would write several packs, and list them all.
  'pack.packSizeLimit=0',
  'gc.auto=0',
  'maintenance.auto=false',
  'i18n.commitEncoding=UTF-8',
  // The encoding of a user's terminal, or one in which Git's output could not be told apart, such as UTF-16.
  'i18n.logOutputEncoding=UTF-8',
  // Every call would print advice about `GIT_GRAFT_FILE`, which hides what Git says when it fails.
  'advice.graftFileDeprecated=false',
  'color.ui=false',
].flatMap((setting) => ['-c', setting])

interface Ceilings {
  /**
   * Git does not search these folders or their parents for a repository. The data directory is one of them: an
   * enclosing repository is never the right one for a folder below it.
   */
  ceilings: readonly string[]
}

/** Returns the environment of each Git process. `host` is the environment of Shiplog itself. */
export function gitEnvironment(host: NodeJS.ProcessEnv, { ceilings }: Ceilings): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  const wanted = new Set(wantedVariables.map(comparable))
  for (const [name, value] of Object.entries(host))
    if (wanted.has(comparable(name))) env[name] = value
  return {
    ...env,
    ...programPath(env),
    ...ceilingVariables(ceilings),
    LC_ALL: 'C',
    // There is no terminal to prompt on.
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
    // No network use without permission. Git 2.45 (2.39.4 of its line) reads the first; the second
    // covers older ones.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: noProtocol,
    // Without this, our `git status` could hold a lock that blocks the user's own command.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // An agent can write `refs/replace/` and `info/grafts`: a file that Git compares by its content on the disk would be
    // shown as it is, and applied as its replacement.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
  }
}

/**
 * Git starts programs by their names: its own, those of the user's filters, and `ssh`. None of these names may lead to
 * a file of the repository.
 */
function programPath(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const name = Object.keys(env).find((one) => comparable(one) === 'PATH') ?? 'PATH'
  const path = absoluteEntries(env[name] ?? '')
  // An empty PATH would mean the working directory.
  if (process.platform !== 'win32') return { [name]: path || '/usr/bin:/bin' }
  // Else Windows searches the working directory before the PATH.
  return { [name]: path, NoDefaultCurrentDirectoryInExePath: '1' }
}

/**
 * Returns variables for `git` in the shell of an agent or of a set-up command: after the agent has
 * deleted the `.git` of its worktree, Git must neither find an enclosing repository nor use a
 * folder that only looks like a bare repository.
 */
export function shellGitEnvironment({ ceilings }: Ceilings): Record<string, string> {
  return {
    ...ceilingVariables(ceilings),
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // No user is there, and some editors run commands of their input: `printf ':!program' | git commit`.
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.bareRepository',
    GIT_CONFIG_VALUE_0: 'explicit',
  }
}

/**
 * A path that contains the list's separator can't be listed: then the check of a worktree's root
 * (`worktree-root.ts`) refuses an enclosing repository.
 */
function ceilingVariables(ceilings: readonly string[]): Record<string, string> {
  const named = ceilings.filter((dir) => !dir.includes(delimiter))
  return named.length === 0 ? {} : { GIT_CEILING_DIRECTORIES: named.join(delimiter) }
}

const comparable = (name: string): string =>
  process.platform === 'win32' ? name.toUpperCase() : name

/**
 * Returns the paths at which Git looks for configuration outside repositories in this environment,
 * whether they exist or not. A Git built with another prefix keeps its system-wide file there.
 */
export function personalFilesIn(env: NodeJS.ProcessEnv): string[] {
  const system = env.GIT_CONFIG_NOSYSTEM ? [] : [env.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig']
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [...system, env.GIT_CONFIG_GLOBAL]
  const home = env.HOME ?? env.USERPROFILE
  const folder = env.XDG_CONFIG_HOME || (home && join(home, '.config'))
  const own = [home && join(home, '.gitconfig'), folder && join(folder, 'git/config')]
  return [...system, ...own.filter((file): file is string => Boolean(file))]
}
