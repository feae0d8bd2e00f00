import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Masker } from '../../../../shared/agents/driver/masker.ts'
import type { CommandSandbox, KeptOutput } from '../../../../shared/agents/driver/tool-context.ts'
import type { ShellState } from '../../../../shared/agents/driver/tool-result.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Custody, RunningCommand } from '../../../processes/custody.ts'
import { endProcessGroup } from '../../../processes/group.ts'
import { captureOutput, wholeOutputBytesMax } from './captured-output.ts'
import { shellProgram } from './shell-program.ts'
import { readShellState, shellInvocation } from './shell-state.ts'

/** About 8,000 tokens, a reasonable size for one result. The agent can search the rest in files with `grep`. */
export const outputBytesMax = 32 * 1024

/**
 * After the shell has ended, its children may still be writing (`> >(tee log)`), on a busy machine for some tenths of a
 * second. The rest of its group is then ended. A command waits this long only if it left something in the background
 * that holds its output.
 */
const outputDrainMs = 1_000
/** The last output of a process may arrive after its exit; a process that left the group can hold it open longer. */
const settleMs = 200

export interface ShellCommand {
  taskId: TaskId
  command: string
  state: ShellState
  timeoutMs: number
  signal: AbortSignal
  /** Records the command while it runs. */
  custody: Custody
  /** The base environment; `state` is added. */
  environment: Record<string, string>
  sandbox?: CommandSandbox | undefined
  mask: Masker
  keepOutput: (output: KeptOutput) => Promise<void>
  /** Receives its output, secrets masked, while it runs. */
  onOutput: (text: string) => void
}

export interface ShellOutcome {
  /** Standard output and error in order of arrival, with secrets masked, at most `outputBytesMax`. */
  text: string
  omittedBytes: number
  /** The saved full output when `text` is only a part of it; null when `text` is complete. */
  whole: Omit<KeptOutput, 'file'> | null
  /** Null if a signal ended it. */
  exitCode: number | null
  endedBy: 'itself' | 'time-limit' | 'abort'
  /** Processes that it had left in the background were ended with it. */
  leftBehind: boolean
  state: ShellState
  dropped: string[]
  /** Absolute paths that the sandbox removed after it. */
  removed: string[]
}

/**
 * Runs a command in its own process group and ensures that no process of the group outlives the call, whether the
 * command ends, times out, or the signal is aborted. Rejects with the signal's reason when it is aborted before the
 * command was started.
 */
export async function runShellCommand(run: ShellCommand): Promise<ShellOutcome> {
  const running = await run.custody.begin(run.taskId, run.command)
  try {
    const stateFile = join(running.dir, 'state')
    const ended = await runInGroup(run, running, stateFile)
    const { endedBy, exitCode, leftBehind, ...output } = ended
    // Before the folder that contains the file is removed.
    const whole = endedBy === 'abort' ? null : await keepWhole(run, output.whole)
    const written = endedBy === 'itself' ? await readFile(stateFile).catch(() => null) : null
    const after = written
      ? readShellState(written, run.state, run.environment)
      : { state: run.state, dropped: [] }
    const removed = (await run.sandbox?.afterCommand()) ?? []
    return { ...output, whole, exitCode, endedBy, leftBehind, removed, ...after }
  } finally {
    await running.ended()
  }
}

async function keepWhole(
  { keepOutput }: ShellCommand,
  whole: KeptOutput | null,
): Promise<ShellOutcome['whole']> {
  if (!whole) return null
  const { file: _, ...kept } = whole
  // The command has taken effect, so a failed write must not fail the call: its result is recorded without the file.
  return keepOutput(whole).then(
    () => kept,
    () => null,
  )
}

async function runInGroup(
  { command, state, timeoutMs, signal, environment, sandbox, mask, onOutput }: ShellCommand,
  running: RunningCommand,
  stateFile: string,
) {
  const { args, env } = shellInvocation(command, state, { stateFile, environment })
  const [program, ...programArgs] = await shellProgram(args, stateFile, sandbox)
  // The run may have been stopped during the preparation; the command must not start then.
  signal.throwIfAborted()
  const child = spawn(program, programArgs, {
    cwd: state.cwd,
    env: { ...env, ...running.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = captureOutput(join(running.dir, 'output'), {
    textBytesMax: outputBytesMax,
    wholeBytesMax: wholeOutputBytesMax,
  })
  const masking = createMasking(mask, onOutput)
  masking.pipe(output.stream)
  child.stdout.pipe(masking, { end: false })
  child.stderr.pipe(masking, { end: false })
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })

  const recordedStart = child.pid === undefined ? null : running.started(child.pid)
  const endedBy = await endReason(exited, timeoutMs, signal)
  await recordedStart
  // The process was started, or `endReason` would have thrown.
  const pid = child.pid as number
  const byItself = endedBy === 'itself'
  if (byItself) await Promise.race([closed, sleep(outputDrainMs)])
  const leftBehind = await endProcessGroup(pid, { settleMs: byItself ? settleMs : 0 })
  const exitCode = await exited
  await Promise.race([closed, sleep(settleMs)])
  child.stdout.destroy()
  child.stderr.destroy()
  masking.end()
  return {
    ...(await output.finish()),
    endedBy,
    exitCode: byItself ? exitCode : null,
    leftBehind,
  }
}

/**
 * Masks secrets before output is written or truncated, because half a secret would not be found. Bytes that are not UTF-8
 * become replacement characters.
 */
export function createMasking(mask: Masker, onOutput: (text: string) => void): Transform {
  const decoder = new StringDecoder('utf8')
  const masked = mask.stream()
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = masked.push(decoder.write(chunk))
      if (text !== '') onOutput(text)
      done(null, text)
    },
    flush(done) {
      done(null, masked.push(decoder.end()) + masked.end())
    },
  })
}

async function endReason(
  exited: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ShellOutcome['endedBy']> {
  const ended = Promise.withResolvers<ShellOutcome['endedBy']>()
  const onAbort = () => ended.resolve('abort')
  const timer = setTimeout(() => ended.resolve('time-limit'), timeoutMs)
  exited.then(() => ended.resolve('itself'), ended.reject)
  signal.addEventListener('abort', onAbort)
  try {
    return await ended.promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
