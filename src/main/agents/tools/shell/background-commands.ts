/**
 * Commands in the background of an agent: `bash` starts them, `bash_output` reads their output, `bash_kill` ends them.
 * The custody ends them with the run, also after a crash.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Masker } from '../../../../shared/agents/driver/masker.ts'
import type { TaskToolsPort } from '../../../../shared/agents/driver/task-tools-port.ts'
import type { CommandSandbox, ToolContext } from '../../../../shared/agents/driver/tool-context.ts'
import type { ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { untilAborted } from '../../../../shared/async/until-aborted.ts'
import type { Custody, RunningCommand } from '../../../processes/custody.ts'
import { endProcessGroup } from '../../../processes/group.ts'
import { type Tool, ToolError } from '../tool.ts'
import { createBoundedOutput } from './bounded-output.ts'
import { createMasking, outputBytesMax } from './shell-command.ts'
import { sandboxNote, shellProgram } from './shell-program.ts'
import { shellInvocation } from './shell-state.ts'

/** More are likely servers that the agent forgot. */
const runningMax = 10
/** The last output of a process may arrive after its exit. */
const lastOutputMs = 200

interface BackgroundCommand {
  command: string
  /** Returns the output since the last call, with secrets masked. */
  unread(): { text: string; omittedBytes: number }
  /** Returns null while it runs. `exitCode` is null if a signal ended it. */
  end(): { exitCode: number | null; timedOut: boolean } | null
  /** Resolves once it has ended and all its output was read. */
  ended: Promise<void>
  kill(): Promise<void>
}

export interface BackgroundCommands {
  /** Resolves once it runs. Rejects with ToolError if it can't be started. */
  start(command: string, timeoutMs: number | null, context: ToolContext): Promise<ToolResult>
  output: Tool<'bash_output'>
  kill: Tool<'bash_kill'>
}

export function createBackgroundCommands(custody: Custody): BackgroundCommands {
  /** By the run's own port, so that a run's commands are forgotten with it. */
  const byRun = new WeakMap<TaskToolsPort, Map<string, BackgroundCommand>>()

  function commandsOf({ tasks }: ToolContext): Map<string, BackgroundCommand> {
    const known = byRun.get(tasks) ?? new Map<string, BackgroundCommand>()
    byRun.set(tasks, known)
    return known
  }

  function find(id: string, context: ToolContext): BackgroundCommand {
    const commands = commandsOf(context)
    const found = commands.get(id)
    if (found) return found
    const ids = [...commands.keys()]
    throw new ToolError(
      ids.length === 0
        ? 'id: no command was started in the background in this run; those of earlier runs have ended. Start one with bash and background: true.'
        : `id: there is no ${JSON.stringify(id)} in this run. There is ${ids.join(', ')}.`,
    )
  }

  return {
    async start(command, timeoutMs, context) {
      const commands = commandsOf(context)
      const running = [...commands].filter(([, one]) => one.end() === null)
      if (running.length >= runningMax)
        throw new ToolError(
          `background: ${runningMax} commands run already (${running.map(([id]) => id).join(', ')}). End one with bash_kill.`,
        )
      const id = `b${commands.size + 1}`
      commands.set(id, await startCommand(custody, command, timeoutMs, context))
      return {
        outcome: 'ok',
        output: `Started in the background as ${id}. bash_output shows what it prints, bash_kill ends it. It ends with your run.`,
        detail: { kind: 'background', id, command, state: 'running', exitCode: null },
      }
    },
    async output({ id, waitMs = 0 }, context) {
      const found = find(id, context)
      if (waitMs > 0 && found.end() === null) await endedWithin(found, waitMs, context.signal)
      return resultOf(id, found, context.sandbox)
    },
    async kill({ id }, context) {
      const found = find(id, context)
      await found.kill()
      return resultOf(id, found, context.sandbox)
    },
  }
}

async function endedWithin(
  { ended }: BackgroundCommand,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const timeout = new AbortController()
  const time = sleep(waitMs, undefined, { signal: timeout.signal }).catch(() => undefined)
  try {
    await untilAborted(Promise.race([ended, time]), signal)
  } finally {
    timeout.abort()
  }
}

function resultOf(
  id: string,
  found: BackgroundCommand,
  sandbox: CommandSandbox | undefined,
): ToolResult {
  const { text, omittedBytes } = found.unread()
  const end = found.end()
  const state = end === null ? 'running' : end.timedOut ? 'timed-out' : 'ended'
  return {
    outcome: 'ok',
    output: [
      text.replace(/\n+$/, '') || '[nothing new]',
      ...(end ? sandboxNote({ text, exitCode: end.exitCode }, sandbox) : []),
      `[${id} ${stateText(end)}]`,
    ].join('\n'),
    detail: {
      kind: 'background',
      id,
      command: found.command,
      state,
      exitCode: end?.exitCode ?? null,
      omittedBytes,
    },
  }
}

function stateText(end: ReturnType<BackgroundCommand['end']>): string {
  if (end === null) return 'is still running'
  if (end.timedOut) return 'reached its time limit and was ended'
  return end.exitCode === null ? 'was ended by a signal' : `ended with exit code ${end.exitCode}`
}

async function startCommand(
  custody: Custody,
  command: string,
  timeoutMs: number | null,
  context: ToolContext,
): Promise<BackgroundCommand> {
  const running = await custody.begin(context.taskId, command)
  try {
    const spawned = await spawnShell(command, context, running)
    const afterCommand = async () => context.sandbox?.afterCommand().catch(() => [])
    return track(spawned, { command, timeoutMs, running, afterCommand })
  } catch (error) {
    await running.ended()
    context.signal.throwIfAborted()
    throw new ToolError(`The command could not be started: ${(error as Error).message}`, error)
  }
}

interface SpawnedShell {
  child: ChildProcess
  output: ReturnType<typeof readOutput>
  /** Resolves when it has exited and its output is closed. */
  closed: Promise<unknown>
}

async function spawnShell(
  command: string,
  { shell, environment, sandbox, signal, mask }: ToolContext,
  running: RunningCommand,
): Promise<SpawnedShell> {
  const stateFile = join(running.dir, 'state')
  const { args, env } = shellInvocation(command, shell, { stateFile, environment })
  const [program, ...programArgs] = await shellProgram(args, stateFile, sandbox)
  signal.throwIfAborted()
  const child = spawn(program, programArgs, {
    cwd: shell.cwd,
    env: { ...env, ...running.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Read at once, because Node discards unread output when the process ends.
  const output = readOutput(child, mask)
  const closed = once(child, 'close').catch(() => undefined)
  await once(child, 'spawn')
  try {
    await running.started(child.pid as number)
  } catch (error) {
    await endProcessGroup(child.pid as number)
    throw error
  }
  return { child, output, closed }
}

function readOutput(
  { stdout, stderr }: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  mask: Masker,
) {
  let unreadOutput = createBoundedOutput(outputBytesMax)
  const masking = createMasking(mask, () => undefined)
  const collected = masking.pipe(
    new Writable({
      write(chunk: Buffer, _, done) {
        unreadOutput.add(chunk)
        done()
      },
    }),
  )
  stdout.pipe(masking, { end: false })
  stderr.pipe(masking, { end: false })
  return {
    /** Returns the output since the last call. */
    unread() {
      const { text, omittedBytes } = unreadOutput.finish()
      unreadOutput = createBoundedOutput(outputBytesMax)
      return { text, omittedBytes }
    },
    async end() {
      // A descendant in its own session may continue to print.
      for (const stream of [stdout, stderr]) stream.unpipe(masking)
      const allWritten = finished(collected)
      masking.end()
      await allWritten
    },
  }
}

function track(
  { child, output, closed }: SpawnedShell,
  {
    command,
    timeoutMs,
    running,
    afterCommand,
  }: {
    command: string
    timeoutMs: number | null
    running: RunningCommand
    afterCommand: () => Promise<unknown>
  },
): BackgroundCommand {
  const pid = child.pid as number
  let timedOut = false
  let end: ReturnType<BackgroundCommand['end']> = null
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => {
          timedOut = true
          void endProcessGroup(pid)
        }, timeoutMs)
  const ended = (async () => {
    // It may have exited while its start was recorded.
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    clearTimeout(timer)
    await Promise.race([closed, sleep(lastOutputMs)])
    // Processes that it left running end with it, as with every command.
    await endProcessGroup(pid)
    await Promise.race([closed, sleep(lastOutputMs)])
    await output.end()
    // If the command's folder can't be removed, the next start removes it.
    await running.ended().catch(() => undefined)
    await afterCommand()
    end = { exitCode: timedOut ? null : child.exitCode, timedOut }
  })()
  return {
    command,
    unread: output.unread,
    end: () => end,
    ended,
    async kill() {
      // After its end, another process may have its process id.
      if (end === null) await endProcessGroup(pid)
      await ended
    },
  }
}
