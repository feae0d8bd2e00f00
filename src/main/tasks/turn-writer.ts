/**
 * Writes the turns of one run: streamed text into the partial message, tool calls and results as entries
 * of their own, and the message when the turn ends. A call is durable before its tool runs, its result
 * before the agent hears of it, and a turn before the next one begins (J6).
 */
import type { Masker, MaskStream, ToolResult } from '../../shared/agent.ts'
import type { MessageEntry, MessagePart, ShellChange } from '../../shared/entries.ts'
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
  /** Keeps what the turn had said, marked as interrupted. Between turns it does nothing. */
  interrupt(): Promise<void>
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
  /** Once a whole turn is durable, before the next one begins. */
  afterTurn?: (turn: number) => Promise<void>
}): TurnWriter {
  const { session, sessionId, runId, clock, mask } = options
  let turn = options.turnsBefore
  let message: MessageFields | null = null
  /** Text that is being spoken: its end may be the beginning of a secret. */
  let spoken: { type: 'text' | 'reasoning'; stream: MaskStream } | null = null

  type MessageFields = Omit<MessageEntry, 'v' | 'seq' | 'at' | 'parentUuid' | 'status'>

  async function begin(): Promise<void> {
    // A turn is durable before the next one begins, also for an agent that does not say where it ended.
    await end({})
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
    await options.beforeTool?.(name)
    await ensureBegun()
    endSpeech()
    const fields = message as MessageFields
    const callId = asked.callId ?? newToolCallId()
    message = { ...fields, parts: [...fields.parts, { type: 'tool-call', callId, name }] }
    const common = { messageUuid: fields.uuid, runId, turn, callId, name }
    // What the agent passed is recorded as JSON: that is what will be read back.
    const input = asked.input === undefined ? null : JSON.parse(JSON.stringify(asked.input))
    await session.append({ type: 'tool-call', ...common, input })
    publishPartial(message)
    const startedMs = clock()
    const durationMs = () => Math.max(0, clock() - startedMs)
    try {
      const { shellChange: shell, ...result } = await execute(callId, fields.uuid)
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
    }
  }

  async function end(of: { usage?: Usage | undefined; model?: string | undefined }): Promise<void> {
    if (!message) return
    endSpeech()
    await session.append({ ...message, status: 'complete', ...of })
    message = null
    session.setPartial(null)
    await options.afterTurn?.(turn)
  }

  async function interrupt(): Promise<void> {
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
    interrupt,
  }
}

const interruptedOutput = 'Interrupted while it ran: its outcome is unknown.'
