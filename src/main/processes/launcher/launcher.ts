/**
 * Starts programs. A large process delegates this to a small launcher process: on Linux, Node starts a program by `fork`,
 * which copies the page tables of the whole process and blocks its main thread meanwhile. Each start takes 10 to 25 ms
 * with 300 MB in memory and 1 ms with 50 MB, and a run starts Git about a hundred times.
 */
import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FromLauncher, ToLauncher } from './messages.ts'
import { type ProgramOutput, type ProgramStart, type RunningProgram, startHere } from './program.ts'

/** In a smaller process, a copy costs no more than the messages to the launcher. */
const sizeBytesMin = 150_000_000

/** Time for a program to end on a signal after its launcher has ended. */
const endMsMax = 1000

/** In the sources the launcher is next to this file, in the build next to the bundle that contains this file. */
const program = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './launcher-process.ts' : './launcher-process.js',
    import.meta.url,
  ),
)

interface Launcher {
  pid: number | undefined
  start(start: ProgramStart, output: ProgramOutput): RunningProgram
  /** False until it runs, and after it has ended. */
  isReady(): boolean
  hasEnded(): boolean
  /** The effective user id of its programs; undefined on Windows. */
  user: number | undefined
}

/** Shared by the whole process; null until the first large start. */
let launcher: Launcher | null = null

/** Starts a program as a child of this process or of the launcher. Both behave alike. */
export function startProgram(start: ProgramStart, output: ProgramOutput): RunningProgram {
  const delegate = canBeDelegated(start) ? usableLauncher() : null
  return delegate === null ? startHere(start, output) : delegate.start(start, output)
}

/** A file descriptor can't be sent over the channel. */
const canBeDelegated = ({ stdinFd, stdoutFd }: ProgramStart): boolean =>
  stdinFd === undefined && stdoutFd === undefined

/**
 * Returns null while no launcher is ready, because the first programs must not wait for one. A launcher that runs as
 * another user is not used.
 */
function usableLauncher(): Launcher | null {
  if (!isWorthwhile()) return null
  if (launcher === null || launcher.hasEnded()) launcher = startLauncher()
  return launcher.isReady() && launcher.user === process.geteuid?.() ? launcher : null
}

/**
 * Only Linux copies page tables. In Electron, the launcher would need the Electron executable to run as Node, which a
 * packaged app does not allow.
 */
function isWorthwhile(): boolean {
  return (
    process.platform === 'linux' &&
    process.versions.electron === undefined &&
    process.memoryUsage.rss() >= sizeBytesMin
  )
}

interface Waiting {
  pid: number | undefined
  output: ProgramOutput
  resolve(exitCode: number | null): void
  reject(error: Error): void
}

/** Starts a launcher. It ends with this process, or after `close` once none of its programs runs. */
export function startLauncher(): Launcher & { close(): void } {
  // Without this process's Node options, so that the launcher runs neither a loader nor an inspector.
  const child = fork(program, [], {
    execArgv: [],
    cwd: '/',
    env: { ...process.env, NODE_OPTIONS: undefined },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const waiting = new Map<number, Waiting>()
  let isReady = false
  let hasEnded = false
  let lastId = 0

  const removeWaiting = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) child.channel?.unref()
    return found
  }
  child.on('message', (message: FromLauncher) => {
    if ('ready' in message) isReady = true
    else if ('stdout' in message) waiting.get(message.id)?.output.onStdout(asBuffer(message.stdout))
    else if ('stderr' in message) waiting.get(message.id)?.output.onStderr(asBuffer(message.stderr))
    else if ('pid' in message) setPid(message)
    else if ('error' in message) removeWaiting(message.id)?.reject(errorOf(message.error))
    else removeWaiting(message.id)?.resolve(message.exitCode)
  })
  const setPid = ({ id, pid }: { id: number; pid: number }) => {
    const found = waiting.get(id)
    if (found) found.pid = pid
  }
  const end = () => {
    if (hasEnded) return
    isReady = false
    hasEnded = true
    // Their exit codes are lost. They are ended before they are reported as ended: a retry must not run beside them.
    for (const [id, { pid }] of [...waiting])
      void endProgram(pid).finally(() => removeWaiting(id)?.resolve(null))
  }
  child.on('error', end)
  child.on('disconnect', end)
  child.on('exit', end)
  // Neither the child nor the channel keeps this process alive while no program runs.
  child.unref()
  child.channel?.unref()

  return {
    pid: child.pid,
    close() {
      if (child.connected) child.disconnect()
    },
    user: process.geteuid?.(),
    isReady: () => isReady,
    hasEnded: () => hasEnded,
    start(start, output) {
      const id = ++lastId
      child.channel?.ref()
      const ended = new Promise<number | null>((resolve, reject) => {
        waiting.set(id, { pid: undefined, output, resolve, reject })
      })
      const { file, args, cwd, env, input } = start
      const send = (message: ToLauncher) =>
        child.send(message, (error) => {
          if (error) removeWaiting(id)?.resolve(null)
        })
      send({ id, start: { file, args, cwd, env, input } })
      return {
        get pid() {
          return waiting.get(id)?.pid
        },
        ended,
        terminate: () => void send({ id, terminate: true }),
      }
    },
  }
}

/** Ends a program that its launcher left behind: a signal, a second to follow it, then SIGKILL. */
async function endProgram(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    signal(pid, name)
    for (const deadline = Date.now() + endMsMax; Date.now() < deadline; await sleep(20))
      if (!signal(pid, 0)) return
  }
}

/** Returns false if there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const errorOf = ({ message, code }: { message: string; code?: string | undefined }): Error =>
  Object.assign(new Error(message), { code })
