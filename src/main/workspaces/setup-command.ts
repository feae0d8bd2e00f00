/** Runs a project's set-up command in each new worktree, once the user has allowed it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningCommand } from '../processes/custody.ts'
import type { SetupSandbox } from './sandbox/sandboxes.ts'

/**
 * Long enough for `npm install` on a slow connection, and finite, because a command may wait for
 * input forever.
 */
const setupTimeoutMs = 15 * 60_000
/** Enough of a failed command's output to show the cause. */
const setupOutputCharsMax = 2_000
/** A refused write looks like any other failure of the command. */
const sandboxHint =
  'It ran in the sandbox of the project: it may write only in the worktree, temporary folders and the caches of package managers. The settings of the project turn the sandbox off.'
/** Output may still arrive after the shell has ended. */
const outputDrainMs = 200

/**
 * Resolves when the command has succeeded; its background processes are not awaited. Throws an
 * Error with the end of its output, or the signal's reason, after the whole process group was
 * ended.
 */
export async function runSetup(
  command: string,
  {
    cwd,
    env,
    signal,
    running,
    sandbox,
  }: {
    cwd: string
    env: Record<string, string>
    signal: AbortSignal
    running: Pick<RunningCommand, 'started'>
    /** Null: it runs without one. */
    sandbox: SetupSandbox | null
  },
): Promise<void> {
  signal.throwIfAborted()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(setupTimeoutMs)])
  const [program, ...args] = sandbox ? sandbox.wrap(['/bin/sh', '-c', command]) : [command]
  const child = spawn(program, args, {
    cwd,
    env,
    shell: sandbox === null,
    detached: hasGroups,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const noted = child.pid === undefined ? null : running.started(child.pid)
  let output = ''
  const collect = (text: string) => {
    output = (output + text).slice(-setupOutputCharsMax)
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const end = () => endGroup(child)
  limit.addEventListener('abort', end, { once: true })
  const exited = Promise.withResolvers<number | null>()
  child.on('error', exited.reject)
  child.on('exit', exited.resolve)
  const closed = new Promise((resolve) => child.on('close', resolve))
  try {
    const exitCode = await exited.promise
    await noted
    await Promise.race([closed, delay(outputDrainMs)])
    signal.throwIfAborted()
    if (exitCode === 0) return
    const how = limit.aborted ? 'did not end within 15 minutes' : `ended with exit code ${exitCode}`
    const hint = sandbox ? `\n${sandboxHint}` : ''
    throw new Error(`The project's set-up command ${how}: ${command}\n${output.trim()}${hint}`)
  } finally {
    limit.removeEventListener('abort', end)
    child.stdout.destroy()
    child.stderr.destroy()
    await sandbox?.afterCommand()
  }
}

const hasGroups = process.platform !== 'win32'

/**
 * Ends the whole group, because a package manager leaves children behind if only its shell is
 * ended.
 */
function endGroup(child: ChildProcess): void {
  if (!hasGroups || !child.pid) return void child.kill('SIGKILL')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // ESRCH: the group has already ended.
  }
}
