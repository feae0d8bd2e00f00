/**
 * State that persists from one bash call to the next: the directory and the exported variables. Each command runs in
 * a new shell, inside a script that at its end writes both to a file; the command's output never contains any of it.
 */
import type { ShellState } from '../../../../shared/agents/driver/tool-result.ts'

/** The record holds what an agent exports, so that has a bound. */
export const shellEnvBytesMax = 32 * 1024
const variableBytesMax = 16 * 1024

/** They describe one shell, not what the agent set. */
const ownToEveryShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])

/** The environment and first arguments that run `command` in `state` and leave the state in `stateFile`. */
export function shellInvocation(
  command: string,
  state: ShellState,
  { stateFile, environment }: { stateFile: string; environment: Record<string, string> },
) {
  // All on one line: the shell's messages then count the lines of the command itself.
  const script = [
    'exec 2>&1',
    `__shiplog_save() { local code=$?; { printf '%s\\0' "$PWD"; command -p env -0; } >| ${quoted(stateFile)} 2>/dev/null; return $code; }`,
    'trap __shiplog_save EXIT',
    '__shiplog_command=$1',
    'shift',
    'eval "$__shiplog_command"',
    // Again, because a command may have set its own trap.
    '__shiplog_save',
  ].join('; ')
  return {
    args: ['-c', script, 'bash', command],
    env: { ...environment, ...state.env, PWD: state.cwd },
  }
}

/**
 * The state after a command, from the script's file. `dropped`: variables over a limit, which are not kept. Unwritten
 * parts (the command replaced the shell, for example) keep their former value.
 */
export function readShellState(
  written: Buffer,
  before: ShellState,
  environment: Record<string, string>,
): { state: ShellState; dropped: string[] } {
  // Every piece ends with NUL, so the last one is empty.
  const [cwd, ...variables] = written.toString().split('\0').slice(0, -1)
  if (!cwd) return { state: before, dropped: [] }
  if (variables.length === 0) return { state: { cwd, env: before.env }, dropped: [] }
  return { ...keepWithinBounds(cwd, changedVariables(variables, environment)) }
}

function changedVariables(
  variables: string[],
  environment: Record<string, string>,
): [name: string, value: string][] {
  return variables.flatMap((variable): [string, string][] => {
    const equals = variable.indexOf('=')
    const name = variable.slice(0, equals)
    const value = variable.slice(equals + 1)
    const own = equals < 1 || ownToEveryShell.has(name) || name.includes('__shiplog')
    return own || environment[name] === value ? [] : [[name, value]]
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
