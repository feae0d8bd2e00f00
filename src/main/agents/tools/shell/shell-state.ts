/**
 * Keeps state from one bash call to the next: the directory and the exported variables. Each command runs in a new shell,
 * in a script that writes both to a file at its end; the command's output never contains them.
 */

import type { ShellState } from '../../../../shared/agents/driver/tool-result.ts'
import { shellVariable } from '../../../../shared/agents/shell-variables.ts'

/** Bounded, because the record contains the exported variables. */
export const shellEnvBytesMax = 32 * 1024
const variableBytesMax = 16 * 1024

/** Variables that the shell itself sets. */
const ownVariables = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])

/** Returns the environment and arguments that run `command` in `state` and write the new state to `stateFile`. */
export function shellInvocation(
  command: string,
  state: ShellState,
  { stateFile, environment }: { stateFile: string; environment: Record<string, string> },
) {
  // On one line, so that line numbers in the shell's messages are those of the command.
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
 * Returns the state after a command, from the script's file. `dropped` are variables over a limit, which are not kept.
 * Parts that were not written, because the command replaced the shell for example, keep their values.
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
    const own =
      equals < 1 || ownVariables.has(name) || name.includes('__shiplog') || shellVariable.test(name)
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
