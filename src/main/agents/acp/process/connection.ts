/**
 * Runs the process of an installed agent and speaks the protocol on its standard input and output. The process has its
 * own group and mark, so that the custody finds all its descendants.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import {
  type AnyMessage,
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionResponse,
  type Stream,
} from '@agentclientprotocol/sdk/unstable'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Custody, RunningCommand } from '../../../processes/custody.ts'
import { endProcessGroup } from '../../../processes/group.ts'
import { isRecord, text } from '../content.ts'

export interface Launch {
  /** Absolute, or found by `env.PATH`. */
  program: string
  args: readonly string[]
  env: Record<string, string>
  /** Absolute. */
  cwd: string
}

interface AcpHandlers {
  /** Called in the order of arrival. `update`: as received. */
  onUpdate(sessionId: string, update: unknown): void
  /** `request`: as received. */
  onPermission(
    request: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>
  /** Reading pauses while it waits. */
  hasRoom(): Promise<void>
}

export interface AcpConnection {
  /** Rejects with RequestError, or with AgentGone if the process ends first. */
  request<Answer>(method: string, params: object, options?: { timeoutMs?: number }): Promise<Answer>
  notify(method: string, params: object): Promise<void>
  /** Resolves once everything that the agent has written until now was received. */
  read(): Promise<void>
  /** Resolves once the connection can't be used any more. */
  gone: Promise<AgentGone>
  /** Closes its input, waits, and ends the process group. Idempotent. */
  close(): Promise<void>
}

/** The process ended, or its output can't be read any more. */
export class AgentGone extends Error {
  readonly why: Cause
  constructor(why: Cause) {
    super('The agent’s process is gone.')
    this.why = why
  }
}

/** A request was not answered in time. */
export class NoAnswer extends Error {
  readonly method: string
  readonly timeoutMs: number
  constructor(method: string, timeoutMs: number) {
    super(`${method} was not answered within ${Math.round(timeoutMs / 1000)} s`)
    this.method = method
    this.timeoutMs = timeoutMs
  }
}

/** Enough for a result with a few images. */
const messageBytesMax = 32 * 1024 * 1024
/** The end of the error output states why a process ended. */
const stderrCharsMax = 4_000
/** All agents that were tried exit within three seconds of the end of their input. */
const inputClosedMs = 3_000
/** The smallest pipe of any system. A larger piece may have filled the pipe, and then its process still holds output. */
const pipeBytesMin = 16 << 10
/** Time in which a process writes on into a pipe that has room again, also on a busy machine. */
const refillMs = 200
/** More than a pipe holds. Bounded, because an agent may never stop writing. */
const readRoundsMax = 100
/** The last output of a process may arrive after its exit. */
const lastOutputMs = 200

/** Rejects with the system's error if the program can't be started. */
export async function connectAgent(
  launch: Launch,
  handlers: AcpHandlers,
  { custody, taskId }: { custody: Custody; taskId: TaskId },
): Promise<AcpConnection> {
  const running = await custody.begin(taskId, [launch.program, ...launch.args].join(' '))
  try {
    const child = spawnAgent(launch, running)
    const stderr = readErrors(child)
    await once(child, 'spawn')
    await running.started(child.pid as number)
    return openConnection(child, { running, stderr, handlers })
  } catch (error) {
    await running.ended()
    throw error
  }
}

function spawnAgent({ program, args, env, cwd }: Launch, running: RunningCommand): ChildProcess {
  // Windows starts its scripts through a shell only.
  const isScript = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(program)
  return spawn(isScript ? `"${program}"` : program, [...args], {
    cwd,
    env: { ...env, ...running.environment },
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(isScript && { shell: true }),
    windowsHide: true,
  })
}

function readErrors({ stderr }: ChildProcess): () => string {
  let end = ''
  stderr?.setEncoding('utf8')
  stderr?.on('data', (piece: string) => {
    end = (end + piece).slice(-stderrCharsMax)
  })
  stderr?.on('error', () => undefined)
  return () => end.trim()
}

function openConnection(
  child: ChildProcess,
  deps: { running: RunningCommand; stderr: () => string; handlers: AcpHandlers },
): AcpConnection {
  const { running, stderr, handlers } = deps
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('The agent’s process has no pipes.')
  // Writing to an ended process fails; its end is reported instead.
  stdin.on('error', () => undefined)
  const exited = Promise.withResolvers<void>()
  child.once('exit', () => exited.resolve())
  if (child.exitCode !== null || child.signalCode !== null) exited.resolve()
  const { readable, failure, read } = pausable(stdout, handlers.hasRoom)
  const connection = connect(
    ndJsonStream(Writable.toWeb(stdin) as WritableStream<Uint8Array>, readable, {
      maxMessageBytes: messageBytesMax,
    }),
    handlers,
  )
  const ended = Promise.withResolvers<AgentGone>()
  void (async () => {
    await Promise.race([connection.closed, exited.promise])
    await Promise.race([exited.promise, sleep(lastOutputMs)])
    await Promise.race([connection.closed, sleep(lastOutputMs)])
    ended.resolve(new AgentGone(causeOfEnd(child, { failure: failure(), stderr: stderr() })))
  })()

  let closing: Promise<void> | null = null
  async function close(): Promise<void> {
    stdin?.end()
    await Promise.race([exited.promise, sleep(inputClosedMs)])
    // Its descendants may still run in its group, even if it exited by itself.
    await endProcessGroup(child.pid as number)
    connection.close()
    stdout?.destroy()
    // If the command's folder can't be removed, the next start removes it.
    await running.ended().catch(() => undefined)
  }

  return {
    gone: ended.promise,
    async request(method, params, { timeoutMs } = {}) {
      const answer = connection.agent.request(method, params)
      answer.catch(() => undefined)
      const timer = timeoutMs === undefined ? null : createTimer(method, timeoutMs)
      const gone = ended.promise.then((error) => {
        throw error
      })
      gone.catch(() => undefined)
      try {
        return (await Promise.race([answer, gone, ...(timer ? [timer.elapsed] : [])])) as never
      } catch (error) {
        // A closed connection rejects before the process has ended.
        if (error instanceof RequestError || error instanceof NoAnswer) throw error
        throw await ended.promise
      } finally {
        timer?.stop()
      }
    },
    read,
    notify: (method, params) => connection.agent.notify(method, params).catch(() => undefined),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

function connect(stream: Stream, handlers: AcpHandlers): ClientConnection {
  // Updates bypass the SDK, which drops unknown ones. They are handled before later answers reach the SDK, in order.
  const readable = stream.readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        const isUpdate = 'method' in message && message.method === methods.client.session.update
        if (!isUpdate || 'id' in message) return controller.enqueue(message)
        const { sessionId, update } = isRecord(message.params) ? message.params : {}
        handlers.onUpdate(text(sessionId) ?? '', update ?? message.params)
      },
    }),
  )
  return client({ name: 'shiplog' })
    .onRequest(
      methods.client.session.requestPermission,
      // Not validated: the fold also keeps requests that it can't read.
      (params) => params,
      ({ params, signal }) => handlers.onPermission(isRecord(params) ? params : {}, signal),
    )
    .connect({ ...stream, readable })
}

/** Pauses reading the process's output while the feeds have no room: a flood must not fill the memory. */
function pausable(stdout: Readable, hasRoom: () => Promise<void>) {
  let failure: Error | null = null
  let pieces = 0
  let filledAtMs = Number.NEGATIVE_INFINITY
  const source = (Readable.toWeb(stdout) as ReadableStream<Uint8Array>).getReader()
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await hasRoom()
        try {
          const { value, done } = await source.read()
          pieces++
          if ((value?.length ?? 0) >= pipeBytesMin) filledAtMs = performance.now()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(error)
        }
      },
      // The reader of messages cancels on one that is too long.
      cancel(reason) {
        failure = reason instanceof Error ? reason : null
        return source.cancel().catch(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
  async function read(): Promise<void> {
    for (let round = 0; round < readRoundsMax; round++) {
      const before = pieces
      await hasRoom()
      // Two rounds of the event loop read what is in the pipe.
      await setImmediate()
      await setImmediate()
      if (pieces !== before) continue
      const sinceMs = performance.now() - filledAtMs
      if (sinceMs > refillMs) return
      await sleep(refillMs - sinceMs + 1)
    }
  }

  return { readable, failure: () => failure, read }
}

function createTimer(method: string, timeoutMs: number) {
  let timer: NodeJS.Timeout | undefined
  const elapsed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(method, timeoutMs)), timeoutMs)
  })
  return { elapsed, stop: () => clearTimeout(timer) }
}

function causeOfEnd(
  { exitCode, signalCode }: ChildProcess,
  { failure, stderr }: { failure: Error | null; stderr: string },
): Cause {
  if (failure !== null)
    return {
      kind: 'error',
      detail: `the agent’s output can't be read, and it was ended: ${failure.message}`,
    }
  if (exitCode === null && signalCode === null)
    return {
      kind: 'error',
      detail: 'the agent closed its output, and it was ended',
    }
  return { kind: 'agent-died', exitCode, signal: signalCode, detail: lastLines(stderr) }
}

/** The agent's own log has more. */
const linesMax = 5

const lastLines = (stderr: string): string =>
  stderr
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-linesMax)
    .join(' · ')

/** The capabilities that Shiplog offers: no files or terminals, because an agent's own commands bypass these anyway. */
export const initializeParams = (version: string) => ({
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: 'shiplog', title: 'Shiplog', version },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: true },
    session: { notices: {}, compaction: {} },
    subagents: {},
    // Codex sends the output of its commands only with this.
    _meta: { terminal_output: true },
  },
})
