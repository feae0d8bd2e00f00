/** Starts a program as a child of this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface ProgramStart {
  /** Its path, or its name on the PATH of `env`. */
  file: string
  args: readonly string[]
  /** Absolute. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** Passed on standard input, which is closed otherwise. */
  input?: string | Uint8Array | undefined
  /** An open file to use as standard input instead. */
  stdinFd?: number | undefined
  /** An open file to use as standard output: nothing is passed to `onStdout` then. */
  stdoutFd?: number | undefined
}

/** If a callback returns a promise, reading pauses until it resolves, and the program blocks on a full pipe. */
export interface ProgramOutput {
  onStdout(chunk: Buffer): void | Promise<void>
  onStderr(chunk: Buffer): void | Promise<void>
}

export interface RunningProgram {
  /** Undefined if it could not be started, or not yet known. */
  readonly pid: number | undefined
  /**
   * Resolves with the exit code after all output was passed on; null if a signal ended it. Rejects with the system's
   * error if it could not be started.
   */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM, and SIGKILL if it has not ended after two seconds. */
  terminate(): void
}

/** Git removes its lock files on SIGTERM; a filter that it started may ignore the signal. */
const killDelayMs = 2000

/** Starts a program as a child of this process. Never throws: `ended` rejects if the program could not be started. */
export function startHere(start: ProgramStart, output: ProgramOutput): RunningProgram {
  // `spawn` emits some errors and throws others, as for a `cwd` that is a file or an argument that is too long.
  try {
    return startNow(start, output)
  } catch (error) {
    return { pid: undefined, ended: Promise.reject(error), terminate: () => {} }
  }
}

function startNow(start: ProgramStart, output: ProgramOutput): RunningProgram {
  const child = spawn(start.file, start.args, {
    cwd: start.cwd,
    env: start.env,
    stdio: [
      start.stdinFd ?? (start.input === undefined ? 'ignore' : 'pipe'),
      start.stdoutFd ?? 'pipe',
      'pipe',
    ],
    windowsHide: true,
  })
  forward(child.stdout, output.onStdout)
  forward(child.stderr, output.onStderr)
  // A program that ends before it has read all input causes EPIPE; its exit code reports the outcome.
  child.stdin?.on('error', () => {})
  child.stdin?.end(start.input)
  return {
    pid: child.pid,
    ended: new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code))
    }),
    terminate: () => terminate(child),
  }
}

function forward(stream: Readable | null, pass: ProgramOutput['onStdout']): void {
  stream?.on('data', (chunk: Buffer) => {
    const accepted = pass(chunk)
    if (!accepted) return
    stream.pause()
    void accepted.then(() => stream.resume())
  })
}

function terminate(child: ChildProcess): void {
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    // A descendant that outlives the program would keep the pipes open, and `ended` pending.
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, killDelayMs)
  child.once('close', () => clearTimeout(timer))
}
