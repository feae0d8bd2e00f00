/**
 * The one environment of agents' shells and of set-up commands (K2): the host's, so that builds that need
 * `JAVA_HOME` work, without what is secret and without what belongs to Shiplog, Git or the runtime.
 */
import { dirname } from 'node:path'
import { isSecretName } from './secret-names.ts'
import { hasSecretForm } from './secret-values.ts'

export interface EnvironmentPolicy {
  /** Let through although they are secret; the person named them. */
  allowed: readonly string[]
  /** Nothing but these, `allowed`, and what every program needs. Null: everything that is not secret. */
  only: readonly string[] | null
}

export interface AgentEnvironment {
  env: Record<string, string>
  /** Names of the secrets that were left out, sorted. */
  withheld: string[]
}

/**
 * Git's own variables for paths and commands. Inherited from a Git that started Shiplog, they would redirect an
 * agent's `git commit` to another repository than that of its working directory. The identity and the location of the
 * user's configuration stay.
 */
const ofGit = /^GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/
/** Ours, and what would make an agent's Node or Electron another program. */
const ofShiplog = /^(?:SHIPLOG_.*|NODE_OPTIONS|ELECTRON_RUN_AS_NODE)$/
/** A colour setting inherited from the terminal that started Shiplog would fill the record with escapes. */
const forcedColour = /^(?:FORCE_COLOR|CLICOLOR_FORCE|COLORTERM)$/

/** With a list of what is wanted, these are: without them no program starts or finds the person's files. */
const essential =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TMP|TEMP|XDG_.*|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles.*|GIT_(?:AUTHOR|COMMITTER)_.*|GIT_CONFIG_.*)$/i

/** Whether a variable is secret by its name or by the form of its value. */
export const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || hasSecretForm(value)

/** `git`: variables for the `git` that runs in it, which come last. */
export function agentEnvironment(
  host: NodeJS.ProcessEnv,
  { allowed, only }: EnvironmentPolicy,
  git: Record<string, string> = {},
): AgentEnvironment {
  const letThrough = new Set(allowed.map(comparable))
  const wanted = only && new Set(only.map(comparable))
  const env: Record<string, string> = {}
  const withheld: string[] = []
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue
    if (ofGit.test(name) || ofShiplog.test(name) || forcedColour.test(name)) continue
    const key = comparable(name)
    if (letThrough.has(key)) env[name] = value
    else if (isSecret(name, value) && !wanted?.has(key)) withheld.push(name)
    else if (!wanted || wanted.has(key) || essential.test(name)) env[name] = value
  }
  // No user is there to page through output or to answer a question.
  Object.assign(env, { TERM: 'dumb', PAGER: 'cat' }, git)
  // Last in line, for machines where our own Node is the only one.
  if (!process.versions.electron)
    env.PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(':')
  return { env, withheld: withheld.sort() }
}

const comparable = (name: string): string =>
  process.platform === 'win32' ? name.toUpperCase() : name
