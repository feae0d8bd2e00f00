/**
 * What lasts from one bash call to the next: the directory and the exported variables. Each command
 * runs in a shell of its own, inside a script that at its end writes both to a file; the command's
 * output never holds any of it.
 */
import { dirname } from 'node:path'
import type { ShellState } from '../../../shared/agent.ts'

/** Every bash result holds the variables, so what an agent exports has a bound. */
export const shellEnvBytesMax = 32 * 1024
const variableBytesMax = 16 * 1024

/** They describe one shell, not what the agent set. */
const ownToEveryShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])

/**
 * Git's own variables of places and commands. Inherited from a Git that started us, they would send an
 * agent's `git commit` to another repository than the one it stands in. Who commits, and where the person's
 * configuration is, stays.
 */
const ofGit = /^GIT_(?!(?:AUTHOR|COMMITTER)_|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/

/** A terminal's wish for colours, handed down by whoever started Shiplog, would fill the record with escapes. */
const forcedColour = ['FORCE_COLOR', 'CLICOLOR_FORCE', 'COLORTERM']

/** What every command starts from: the process's own environment, without what is not for agents. */
function baseEnvironment(shellGit: Record<string, string>): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !ofGit.test(name)) env[name] = value
  for (const name of ['ELECTRON_RUN_AS_NODE', ...forcedColour]) delete env[name]
  // Nobody is there to page through output or to answer a question.
  Object.assign(env, { TERM: 'dumb', PAGER: 'cat' }, shellGit)
  // Last in line, for machines where our own Node is the only one.
  if (!process.versions.electron)
    env.PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(':')
  return env
}

/** The environment and first arguments that run `command` in `state` and leave the state in `stateFile`. */
export function shellInvocation(
  command: string,
  state: ShellState,
  { stateFile, shellGit }: { stateFile: string; shellGit: Record<string, string> },
) {
  // All on one line: the shell's messages then count the lines of the command itself.
  const script = [
    'exec 2>&1',
    `__shiplog_save() { local code=$?; { printf '%s\\0' "$PWD"; command -p env -0; } >| ${quoted(stateFile)} 2>/dev/null; return $code; }`,
    'trap __shiplog_save EXIT',
    '__shiplog_command=$1',
    'shift',
    'eval "$__shiplog_command"',
    // Again, for a command may have set a trap of its own.
    '__shiplog_save',
  ].join('; ')
  return {
    args: ['-c', script, 'bash', command],
    env: { ...baseEnvironment(shellGit), ...state.env, PWD: state.cwd },
  }
}

/**
 * The state after a command, from what the script wrote. `dropped`: variables that were over a bound
 * and are not kept. What was not written (the command replaced the shell, say) stays as it was.
 */
export function readShellState(
  written: Buffer,
  before: ShellState,
  shellGit: Record<string, string>,
): { state: ShellState; dropped: string[] } {
  // Every piece ends with NUL, so the last one is empty.
  const [cwd, ...variables] = written.toString().split('\0').slice(0, -1)
  if (!cwd) return { state: before, dropped: [] }
  if (variables.length === 0) return { state: { cwd, env: before.env }, dropped: [] }
  return { ...keepWithinBounds(cwd, changedVariables(variables, shellGit)) }
}

function changedVariables(
  variables: string[],
  shellGit: Record<string, string>,
): [name: string, value: string][] {
  const base = baseEnvironment(shellGit)
  return variables.flatMap((variable): [string, string][] => {
    const equals = variable.indexOf('=')
    const name = variable.slice(0, equals)
    const value = variable.slice(equals + 1)
    const own = equals < 1 || ownToEveryShell.has(name) || name.includes('__shiplog')
    return own || base[name] === value ? [] : [[name, value]]
  })
}

function keepWithinBounds(cwd: string, variables: [name: string, value: string][]) {
  const env: Record<string, string> = {}
  const dropped: string[] = []
  let totalBytes = 0
  for (const [name, value] of variables) {
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value)
    if (bytes > variableBytesMax || totalBytes + bytes > shellEnvBytesMax) {
      dropped.push(name)
      continue
    }
    env[name] = value
    totalBytes += bytes
  }
  return { state: { cwd, env }, dropped }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
