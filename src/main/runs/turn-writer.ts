/**
 * Writes the turns of one run: streamed text into the partial message, tool calls and results as entries
 * of their own, and the message when the turn ends. A call is durable before its tool runs, its result
 * before the agent hears of it, and a turn before the next one begins (J6).
 */
import type { Masker, MaskStream, ToolResult } from '../../shared/agent.ts'
import type { MessageEntry, MessagePart, ShellChange, ToolCallEntry } from '../../shared/entries.ts'
import {
  type EntryId,
  newEntryId,
  newToolCallId,
  type RunId,
  type SessionId,
  type ToolCallId,
} from '../../shared/ids.ts'
import type { Usage } from '../../shared/usage.ts'
import type { Session } from '../sessions/session.ts'

export interface TurnWriter {
  begin(): Promise<void>
  text(text: string): Promise<void>
  reasoning(text: string): Promise<void>
  /**
   * Makes the call durable, runs `execute`, and makes its result durable. Rejects as `execute` does. The agent is
   * given what was recorded (K3).
   */
  call(
    call: { name: string; input: unknown; callId?: ToolCallId | undefined },
    execute: (callId: ToolCallId, messageUuid: EntryId) => Promise<ExecutedCall>,
  ): Promise<ToolResult>
  end(of: { usage?: Usage | undefined; model?: string | undefined }): Promise<void>
  /** Gives calls that have no result yet an unknown outcome: what comes of them later is not recorded. */
  settleCalls(): Promise<void>
  /**
   * Settles the calls, and keeps what the turn had said, marked as interrupted. Nothing can be written after it.
   */
  interrupt(): Promise<void>
}

interface OpenCall {
  common: Pick<ToolCallEntry, 'messageUuid' | 'runId' | 'turn' | 'callId' | 'name'>
  startedMs: number
  /** Resolved once its result is in the record, or was refused. */
  settled: PromiseWithResolvers<void>
  /** Its result is being written. */
  isRecording?: boolean
}

interface ExecutedCall extends ToolResult {
  /** What it changed in the shell; absent when that was not its business. */
  shellChange?: ShellChange
}

export function createTurnWriter(options: {
  session: Session
  sessionId: SessionId
  runId: RunId
  /** Turns of earlier runs. */
  turnsBefore: number
  cwd: () => string
  gitBranch: () => Promise<string | null>
  clock: () => number
  mask: Masker
  /** Before a call is written and its tool runs. */
  beforeTool?: (name: string) => Promise<void>
  onBegun?: () => void
  /** Once a whole turn is durable, before the next one begins. */
  afterTurn?: (turn: number) => Promise<void>
}): TurnWriter {
  const { session, sessionId, runId, clock, mask } = options
  let turn = options.turnsBefore
  let message: MessageFields | null = null
  let beginning: Promise<void> | null = null
  let ending: Promise<void> | null = null
  let isClosed = false
  const openCalls = new Map<ToolCallId, OpenCall>()
  /** Text that is being spoken: its end may be the beginning of a secret. */
  let spoken: { type: 'text' | 'reasoning'; stream: MaskStream } | null = null

  type MessageFields = Omit<MessageEntry, 'v' | 'seq' | 'at' | 'parentUuid' | 'status'>

  /** Agents may call tools side by side before anything else: that begins one turn. */
  async function begin(): Promise<void> {
    beginning ??= beginTurn().finally(() => {
      beginning = null
    })
    await beginning
  }

  async function beginTurn(): Promise<void> {
    refuseWhenClosed()
    // A turn is durable before the next one begins, also for an agent that does not say where it ended.
    await end({})
    options.onBegun?.()
    turn++
    message = {
      type: 'message',
      uuid: newEntryId(),
      role: 'assistant',
      parts: [],
      cwd: options.cwd(),
      timestamp: new Date(clock()).toISOString(),
      gitBranch: await options.gitBranch(),
      sessionId,
      runId,
      turn,
    }
    publishPartial(message)
  }

  /** Agents that speak without beginning a turn have begun one. */
  async function ensureBegun(): Promise<void> {
    while (ending) await ending.catch(() => undefined)
    if (!message) await begin()
  }

  function publishPartial(fields: MessageFields): void {
    session.setPartial({ v: 1, ...fields, status: 'interrupted' })
  }

  async function stream(type: 'text' | 'reasoning', text: string): Promise<void> {
    if (text === '') return
    await ensureBegun()
    if (spoken?.type !== type) endSpeech()
    spoken ??= { type, stream: mask.stream() }
    add(type, spoken.stream.push(text))
  }

  /** Gives out what was held back of the text so far. */
  function endSpeech(): void {
    if (spoken && message) add(spoken.type, spoken.stream.end())
    spoken = null
  }

  function add(type: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    // Read now: tools may be called side by side, and each has its part.
    const fields = message as MessageFields
    const last = fields.parts.at(-1)
    const grows = last?.type === type
    const part: MessagePart = grows ? { type, text: last.text + text } : { type, text }
    const index = grows ? fields.parts.length - 1 : fields.parts.length
    message = { ...fields, parts: fields.parts.toSpliced(index, 1, part) }
    session.addDelta(index, type, text)
  }

  async function call(
    asked: { name: string; input: unknown; callId?: ToolCallId | undefined },
    execute: (callId: ToolCallId, messageUuid: EntryId) => Promise<ExecutedCall>,
  ): Promise<ToolResult> {
    const { name } = asked
    refuseWhenClosed()
    await options.beforeTool?.(name)
    await ensureBegun()
    refuseWhenClosed()
    endSpeech()
    const fields = message as MessageFields
    // Some providers give one id to several calls of a turn.
    const isNew = asked.callId !== undefined && !openCalls.has(asked.callId)
    const callId = isNew ? (asked.callId as ToolCallId) : newToolCallId()
    message = { ...fields, parts: [...fields.parts, { type: 'tool-call', callId, name }] }
    const common = { messageUuid: fields.uuid, runId, turn, callId, name }
    // What the agent passed is recorded as JSON: that is what will be read back.
    const input = asked.input === undefined ? null : JSON.parse(JSON.stringify(asked.input))
    const open: OpenCall = { common, startedMs: clock(), settled: Promise.withResolvers() }
    openCalls.set(callId, open)
    try {
      await session.append({ type: 'tool-call', ...common, input })
    } catch (error) {
      settle(callId)
      throw error
    }
    publishPartial(message)
    const startedMs = clock()
    const durationMs = () => Math.max(0, clock() - startedMs)
    try {
      refuseWhenClosed()
      const { shellChange: shell, ...result } = await execute(callId, fields.uuid)
      if (openCalls.get(callId) !== open) throw new Error('Its outcome is recorded as unknown.')
      open.isRecording = true
      const { outcome } = result
      const { output, detail } = mask.value({ output: result.output, detail: result.detail })
      await session.append({
        type: 'tool-result',
        ...common,
        outcome,
        output,
        detail,
        shell,
        durationMs: durationMs(),
      })
      return { ...result, output, ...(detail ? { detail } : {}) }
    } catch (error) {
      // Cut short: whether it had its effect nobody knows, and it is never run again (S3).
      if (openCalls.get(callId) !== open) throw error
      open.isRecording = true
      await session
        .append({
          type: 'tool-result',
          ...common,
          outcome: 'unknown',
          output: interruptedOutput,
          durationMs: durationMs(),
        })
        .catch(() => undefined) // the first error is the one to tell
      throw error
    } finally {
      settle(callId)
    }
  }

  function settle(callId: ToolCallId): void {
    openCalls.get(callId)?.settled.resolve()
    openCalls.delete(callId)
  }

  function refuseWhenClosed(): void {
    if (isClosed) throw new Error('The run has ended: nothing more is recorded.')
  }

  async function end(of: { usage?: Usage | undefined; model?: string | undefined }): Promise<void> {
    // A turn's calls have their results before it ends, also for an agent that does not wait for them.
    await Promise.all([...openCalls.values()].map(({ settled }) => settled.promise))
    if (!message) return
    ending ??= endTurn(message, of).finally(() => {
      ending = null
    })
    await ending
  }

  async function endTurn(open: MessageFields, of: Parameters<TurnWriter['end']>[0]): Promise<void> {
    endSpeech()
    const finished = message ?? open
    // What is said or called from here on belongs to the next turn.
    message = null
    try {
      await session.append({ ...finished, status: 'complete', ...of })
    } catch (error) {
      message = finished
      throw error
    }
    session.setPartial(null)
    await options.afterTurn?.(turn)
  }

  async function settleCalls(): Promise<void> {
    for (const { common, startedMs, settled, isRecording } of [...openCalls.values()]) {
      if (isRecording) {
        await settled.promise
        continue
      }
      settle(common.callId)
      await session.append({
        type: 'tool-result',
        ...common,
        outcome: 'unknown',
        output: interruptedOutput,
        durationMs: Math.max(0, clock() - startedMs),
      })
    }
  }

  async function interrupt(): Promise<void> {
    isClosed = true
    await settleCalls()
    if (!message) return
    endSpeech()
    if (message.parts.length > 0) await session.append({ ...message, status: 'interrupted' })
    message = null
    session.setPartial(null)
  }

  return {
    begin,
    text: (text) => stream('text', text),
    reasoning: (text) => stream('reasoning', text),
    call,
    end,
    settleCalls,
    interrupt,
  }
}

const interruptedOutput = 'Interrupted while it ran: its outcome is unknown.'
