/**
 * Builds the environment of agents' shells and of set-up commands (K2): the host's, so that builds
 * that need `JAVA_HOME` work, without secrets and without variables of Shiplog, Git or the runtime.
 */
import { delimiter, dirname, isAbsolute } from 'node:path'
import { isPlainLocale } from '../../shared/agents/plain-locale.ts'
import { shellVariable } from '../../shared/agents/shell-variables.ts'
import { isSecretName } from './secret-names.ts'
import { hasSecretForm } from './secret-values.ts'

export interface EnvironmentPolicy {
  /** Passed on although they are secret, because the user listed them. */
  allowed: readonly string[]
  /**
   * Passes on only these, `allowed`, and what every program needs. Null passes on everything that
   * is not secret.
   */
  only: readonly string[] | null
  /** Withheld although neither name nor value looks secret, because they hold the API key of the task's model. */
  keys?: readonly string[]
}

export interface AgentEnvironment {
  env: Record<string, string>
  /** Sorted names of the secrets that were left out. */
  withheld: string[]
}

/**
 * Git's own variables for paths and commands. Inherited from a Git that started Shiplog, they would
 * redirect an agent's `git commit` to another repository than that of its working directory. The
 * identity and the location of the user's configuration stay.
 */
const gitVariable =
  /^GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/
/** Shiplog's own variables, and those that would change how an agent's Node or Electron runs. */
const shiplogVariable = /^(?:SHIPLOG_.*|NODE_OPTIONS|ELECTRON_RUN_AS_NODE)$/
/**
 * A color setting inherited from the terminal that started Shiplog would fill the record with
 * escapes.
 */
const forcedColor = /^(?:FORCE_COLOR|CLICOLOR_FORCE|COLORTERM)$/

/** Always passed on, because without them no program starts or finds the user's files. */
const essential =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TMP|TEMP|XDG_.*|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles.*|GIT_(?:AUTHOR|COMMITTER)_.*|GIT_CONFIG_.*)$/i

/** Reports whether a variable is secret by its name or by the form of its value. */
export const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || hasSecretForm(value)

/** Builds an agent's environment from `host`. `git` are variables for Git commands in it; they override the others. */
export function agentEnvironment(
  host: NodeJS.ProcessEnv,
  { allowed, only, keys = [] }: EnvironmentPolicy,
  git: Record<string, string> = {},
): AgentEnvironment {
  const allowedNames = new Set(allowed.map(comparable))
  const onlyNames = only && new Set(only.map(comparable))
  const keyNames = new Set(keys.map(comparable))
  const env: Record<string, string> = {}
  const withheld: string[] = []
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue
    if (isNeverPassed(name)) continue
    const key = comparable(name)
    if (allowedNames.has(key)) env[name] = value
    else if ((isSecret(name, value) || keyNames.has(key)) && !onlyNames?.has(key))
      withheld.push(name)
    else if (!onlyNames || onlyNames.has(key) || essential.test(name)) env[name] = value
  }
  // No user is there to page through output or to answer a question.
  Object.assign(env, { TERM: 'dumb', PAGER: 'cat' }, git)
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(Boolean) ?? 'C'
  if (!isPlainLocale(locale)) env.LC_ALL = 'C.UTF-8'
  const pathName = Object.keys(env).find((name) => comparable(name) === 'PATH') ?? 'PATH'
  env[pathName] = programPath(env[pathName] ?? '')
  return { env, withheld: withheld.sort() }
}

const isNeverPassed = (name: string): boolean =>
  [gitVariable, shiplogVariable, forcedColor, shellVariable].some((one) => one.test(name))

/**
 * Without empty and relative entries, such as `./node_modules/.bin`: permissions go by the names of programs, and a
 * repository could bring its own `ls`.
 */
function programPath(path: string): string {
  const dirs = path.split(delimiter).filter(isAbsolute)
  // Last, for machines where Shiplog's own Node is the only one.
  if (!process.versions.electron) dirs.push(dirname(process.execPath))
  return dirs.join(delimiter)
}

const comparable = (name: string): string =>
  process.platform === 'win32' ? name.toUpperCase() : name
