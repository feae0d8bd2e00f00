/**
 * One process of an installed agent, and the protocol on its standard input and output. The process has a group and a
 * mark of its own, so that the custody finds all that it starts.
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
  /** Resolves once what the agent has written until now has arrived. */
  read(): Promise<void>
  /** Resolves once it can't be used any more. */
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

/** A result with a few images; what is longer is no message of an agent. */
const messageBytesMax = 32 * 1024 * 1024
/** The end of its error output says why a process ended. */
const stderrCharsMax = 4_000
/** All agents that were run end within three seconds of the end of their input. */
const inputClosedMs = 3_000
/** More than a pipe holds: an agent that writes all the time is not waited for. */
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
    return follow(child, { running, stderr, handlers })
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

function follow(
  child: ChildProcess,
  deps: { running: RunningCommand; stderr: () => string; handlers: AcpHandlers },
): AcpConnection {
  const { running, stderr, handlers } = deps
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('The agent’s process has no pipes.')
  // A process that is gone takes no more input; the end of the process is reported instead.
  stdin.on('error', () => undefined)
  const exited = Promise.withResolvers<void>()
  child.once('exit', () => exited.resolve())
  if (child.exitCode !== null || child.signalCode !== null) exited.resolve()
  const { readable, failure, read } = gated(stdout, handlers.hasRoom)
  const connection = connect(
    ndJsonStream(Writable.toWeb(stdin) as WritableStream<Uint8Array>, readable, {
      maxMessageBytes: messageBytesMax,
    }),
    handlers,
  )
  const over = Promise.withResolvers<AgentGone>()
  void (async () => {
    await Promise.race([connection.closed, exited.promise])
    await Promise.race([exited.promise, sleep(lastOutputMs)])
    await Promise.race([connection.closed, sleep(lastOutputMs)])
    over.resolve(
      new AgentGone(causeOfEnd(child, { connection, failure: failure(), stderr: stderr() })),
    )
  })()

  let closing: Promise<void> | null = null
  async function close(): Promise<void> {
    stdin?.end()
    await Promise.race([exited.promise, sleep(inputClosedMs)])
    // What it started may run on in its group, also after it has ended by itself.
    await endProcessGroup(child.pid as number)
    connection.close()
    stdout?.destroy()
    // A folder that can't be removed is the next start's to clean up.
    await running.ended().catch(() => undefined)
  }

  return {
    gone: over.promise,
    async request(method, params, { timeoutMs } = {}) {
      const answer = connection.agent.request(method, params)
      answer.catch(() => undefined)
      const late = timeoutMs === undefined ? null : createTimer(method, timeoutMs)
      const gone = over.promise.then((error) => {
        throw error
      })
      gone.catch(() => undefined)
      try {
        return (await Promise.race([answer, gone, ...(late ? [late.elapsed] : [])])) as never
      } catch (error) {
        // A closed connection rejects before the process has ended.
        if (error instanceof RequestError || error instanceof NoAnswer) throw error
        throw await over.promise
      } finally {
        late?.stop()
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
  // Updates go past the SDK, which drops those that it does not know. They stay in order with the answers, which follow.
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
      // Read by the fold, which keeps what it does not understand.
      (params) => params,
      ({ params, signal }) => handlers.onPermission(isRecord(params) ? params : {}, signal),
    )
    .connect({ ...stream, readable })
}

/** Pauses the process's output while the record is behind: a flood must not fill the memory. */
function gated(stdout: Readable, hasRoom: () => Promise<void>) {
  let failure: Error | null = null
  let pieces = 0
  const source = (Readable.toWeb(stdout) as ReadableStream<Uint8Array>).getReader()
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await hasRoom()
        try {
          const { value, done } = await source.read()
          pieces++
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(error)
        }
      },
      // The reader of messages gives up: on one that is too long.
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
      // Twice round the event loop, which reads what is in the pipe.
      await setImmediate()
      await setImmediate()
      if (pieces === before) return
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
  { failure, stderr }: { connection: ClientConnection; failure: Error | null; stderr: string },
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

/** More is in the agent's own log. */
const linesMax = 5

const lastLines = (stderr: string): string =>
  stderr
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-linesMax)
    .join(' · ')

/** What Shiplog offers to agents: neither files nor terminals, which commands go past in any case. */
export const initializeParams = (version: string) => ({
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: 'shiplog', title: 'Shiplog', version },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: true },
    session: { notices: {}, compaction: {} },
    subagents: {},
    // Codex shows the output of its commands only by this.
    _meta: { terminal_output: true },
  },
})
