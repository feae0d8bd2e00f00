import { stat } from 'node:fs/promises'
import type { CommandSandbox } from '../../../../shared/agents/driver/tool-context.ts'
import type { ShellState, ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { bashTimeoutMsDefault } from '../../../../shared/agents/tools.ts'
import type { Custody } from '../../../processes/custody.ts'
import { type Tool, ToolError } from '../tool.ts'
import type { BackgroundCommands } from './background-commands.ts'
import { runShellCommand, type ShellOutcome } from './shell-command.ts'
import { removedNote, sandboxNote } from './shell-program.ts'

/** Linux limits an argument to 128 KiB. */
const commandBytesMax = 120_000

/**
 * Runs a command in the state of the last one: `cd` and exported variables persist from call to call. A non-zero exit
 * code and a timeout are results with outcome `error`.
 */
export function createBash(
  custody: Custody,
  { start }: Pick<BackgroundCommands, 'start'>,
): Tool<'bash'> {
  return async ({ command, timeoutMs, background }, context) => {
    const { taskId, shell, signal, workingDir, environment, mask, keepOutput, onOutput } = context
    const { sandbox } = context
    if (Buffer.byteLength(command) > commandBytesMax)
      throw new ToolError(
        `command: is longer than ${commandBytesMax} bytes. Write it to a file with write_file and run that.`,
      )
    if (!(await isDirectory(shell.cwd))) return lostDirectory(shell, workingDir)
    if (background) return start(command, timeoutMs ?? null, context)
    const limitMs = timeoutMs ?? bashTimeoutMsDefault
    const run = {
      command,
      state: shell,
      timeoutMs: limitMs,
      signal,
      taskId,
      custody,
      environment,
      sandbox,
      mask,
      keepOutput,
      onOutput,
    }
    const outcome = await runShellCommand(run).catch((error) => {
      throw new ToolError(`The command could not be started: ${error.message}`, error)
    })
    if (outcome.endedBy === 'abort') throw signal.reason
    return resultOf(outcome, limitMs, sandbox)
  }
}

function resultOf(
  outcome: ShellOutcome,
  limitMs: number,
  sandbox: CommandSandbox | undefined,
): ToolResult {
  const { exitCode, omittedBytes, whole, state } = outcome
  const timedOut = outcome.endedBy === 'time-limit'
  return {
    outcome: exitCode === 0 ? 'ok' : 'error',
    // Escape sequences are kept: removing them could join the halves of a secret that the masker did not find.
    output: [
      outcome.text.replace(/\n+$/, ''),
      ...sandboxNote(outcome, sandbox),
      ...removedNote(outcome.removed),
      ...notes(outcome, limitMs),
    ]
      .filter(Boolean)
      .join('\n'),
    detail: { kind: 'bash', exitCode, timedOut, omittedBytes, ...(whole && { whole }) },
    shell: state,
  }
}

function notes(
  { endedBy, exitCode, leftBehind, dropped }: ShellOutcome,
  limitMs: number,
): string[] {
  if (endedBy === 'time-limit')
    return [`[time limit of ${limitMs} ms reached; the command and all it had started were ended]`]
  const lines: string[] = []
  if (leftBehind)
    lines.push(
      '[what the command left running was ended with it; background: true keeps a command running]',
    )
  if (dropped.length > 0)
    lines.push(`[too large to be kept for later commands: ${dropped.join(', ')}]`)
  if (exitCode === null) lines.push('[ended by a signal]')
  else if (exitCode !== 0) lines.push(`[exit code ${exitCode}]`)
  return lines
}

/** Resets the shell to the working directory, because an agent that removed its directory could not continue otherwise. */
async function lostDirectory(shell: ShellState, workingDir: string): Promise<ToolResult> {
  if (shell.cwd === workingDir || !(await isDirectory(workingDir)))
    throw new ToolError(`The working directory ${workingDir} does not exist any more.`)
  return {
    outcome: 'error',
    output: `The shell's directory ${shell.cwd} does not exist any more. Nothing was run; the next command starts in ${workingDir}.`,
    shell: { cwd: workingDir, env: shell.env },
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
