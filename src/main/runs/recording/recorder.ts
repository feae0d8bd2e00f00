/**
 * Records one run of an agent: its text as parts of a message, calls and results as separate entries, and the message
 * when the turn ends. Events of the agent and calls on its host pass here in one order (G1). A call is durable before
 * its tool runs, its result before the agent receives it, and a turn before the next one begins (J6).
 */

import type { PermissionAnswer, ProviderData } from '../../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { HostCall, PermissionQuestion } from '../../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import type { MessageEntry } from '../../../shared/records/entry-types/messages.ts'
import { newEntryId, type RunId, type SessionId } from '../../../shared/records/ids.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import type { Session } from '../../sessions/session.ts'
import type { CalledTool } from '../changes/snapshots.ts'
import { createCallRecorder, type ExecuteCall } from './call-recorder.ts'
import { entryOutsideTurns } from './entries-outside-turns.ts'
import { createMessageParts, type MessageParts } from './message-parts.ts'

export interface Recorder {
  /** Resolves once the agent may continue after the event. */
  event(event: RecordedEvent): Promise<void>
  /**
   * Makes the call durable, runs `execute`, and makes its result durable. Rejects as `execute` does. The agent is
   * given what was recorded (K3).
   */
  call(call: HostCall, execute: ExecuteCall): Promise<ToolResult>
  /**
   * Resolves once the question (`answer` is null) or its answer is durable. Ask the question, or
   * act on the answer, only after that (P4).
   */
  permission(question: PermissionQuestion, answer: PermissionAnswer | null): Promise<void>
  /** Ends the last turn of an agent that ended without reporting it. */
  endTurn(): Promise<void>
  /** Records an unknown outcome for calls without a result: later results of them are ignored. */
  settleCalls(): Promise<void>
  /**
   * Settles the calls, and keeps the unfinished turn's text, marked as interrupted. Nothing can be written after it.
   */
  interrupt(): Promise<void>
}

/** `run.ts` handles the other two: it records the end of the run, and tracks where the agent works. */
type RecordedEvent = Exclude<AgentEvent, { type: 'failed' | 'moved' }>

/** The fields that the agent reports at the end of a turn. */
interface TurnEnd {
  usage?: Usage | null | undefined
  sessionCostUsd?: number | undefined
  model?: string | undefined
  stop?: string | undefined
  providerData?: ProviderData | undefined
}

type Reported = Pick<Extract<AgentEvent, { type: 'usage' }>, 'usage' | 'sessionCostUsd'>

/** The message of the current turn. */
interface OpenMessage {
  fields: Omit<MessageEntry, 'v' | 'seq' | 'at' | 'parentUuid' | 'status' | 'parts'>
  parts: MessageParts
}

export function createRecorder(options: {
  session: Session
  sessionId: SessionId
  runId: RunId
  /** Turns of earlier runs. */
  turnsBefore: number
  cwd: () => string
  gitBranch: () => Promise<string | null>
  clock: () => number
  mask: Masker
  /**
   * Called before a call is recorded and its tool runs, and after it. Returns the tree of the files
   * for its entries, or null.
   */
  beforeTool?: (call: CalledTool) => Promise<string | null>
  afterTool?: (call: CalledTool) => Promise<string | null>
  /**
   * Called with the agent's usage: of each turn at its end, also of a failed one (undefined if not
   * reported), or outside of turns.
   */
  onUsage?: (usage: Usage | undefined, of: 'turn' | 'cut-turn' | 'run') => void
  /** Called once a complete turn is durable, before the next one begins. */
  afterTurn?: (turn: number) => Promise<void>
}): Recorder {
  const { session, sessionId, runId, clock, mask } = options
  let turn = options.turnsBefore
  let message: OpenMessage | null = null
  let beginning: Promise<void> | null = null
  let ending: Promise<void> | null = null
  let isClosed = false
  const { afterTool } = options
  const calls = createCallRecorder({ session, clock, mask, afterTool })

  /** Agents may call tools side by side before anything else: that begins one turn. */
  async function begin(): Promise<void> {
    beginning ??= beginTurn().finally(() => {
      beginning = null
    })
    await beginning
  }

  async function beginTurn(): Promise<void> {
    refuseWhenClosed()
    // A turn is durable before the next one begins, also for an agent that does not report where it ended.
    await end({})
    turn++
    const fields: OpenMessage['fields'] = {
      type: 'message',
      uuid: newEntryId(),
      role: 'assistant',
      cwd: options.cwd(),
      timestamp: new Date(clock()).toISOString(),
      gitBranch: await options.gitBranch(),
      sessionId,
      runId,
      turn,
    }
    const parts = createMessageParts(mask, {
      onPart: showParts,
      onText: session.addDelta,
    })
    message = { fields, parts }
    showParts([])

    function showParts(shown: MessageEntry['parts']): void {
      session.setPartial({ v: 1, ...fields, parts: shown, status: 'interrupted' })
    }
  }

  /** Also stored in the partial message, so that the usage of a turn that is stopped is not lost. */
  function setUsage({ fields }: OpenMessage, reported: Reported): void {
    const { usage, sessionCostUsd } = reported
    Object.assign(fields, { usage }, sessionCostUsd !== undefined && { sessionCostUsd })
    const { partial } = session
    if (partial) session.setPartial({ ...partial, usage, sessionCostUsd: fields.sessionCostUsd })
  }

  /** Text or a call outside of a turn begins one. */
  async function openMessage(): Promise<OpenMessage> {
    while (ending) await ending.catch(() => undefined)
    if (!message) await begin()
    refuseWhenClosed()
    // Read again after waiting: tools may be called concurrently.
    return message as unknown as OpenMessage
  }

  const inTurn = ({ fields }: OpenMessage) => ({ messageUuid: fields.uuid, runId, turn })

  async function call(asked: HostCall, execute: ExecuteCall) {
    refuseWhenClosed()
    const tree = await options.beforeTool?.(asked)
    const open = await openMessage()
    // After a crash, providers reject the call without the reasoning that precedes it (G3).
    if (open.parts.holdProviderData()) await session.flushPartial()
    const begun = calls.begin(inTurn(open), asked)
    if (tree) begun.entry.tree = tree
    open.parts.addCall(begun.callId, asked.name)
    return calls.run(begun, execute, refuseWhenClosed)
  }

  async function event(event: RecordedEvent): Promise<void> {
    switch (event.type) {
      case 'turn-started':
        return begin()
      case 'part-started':
        if (event.providerData) (await openMessage()).parts.begin(event)
        return
      case 'part-delta':
        if (event.text !== '') (await openMessage()).parts.add(event)
        return
      case 'part-ended':
        return message?.parts.end(event.part, event.providerData)
      case 'call-started': {
        const tree = await options.beforeTool?.(event)
        const open = await openMessage()
        const begun = calls.begin(inTurn(open), event)
        if (tree) begun.entry.tree = tree
        open.parts.addCall(begun.callId, event.name)
        return calls.record(begun)
      }
      case 'call-updated':
        return calls.update(event) ? undefined : keepAsForeign(event)
      case 'call-ended':
        return (await calls.end(event)) ? undefined : keepAsForeign(event)
      case 'usage':
        return event.of === 'turn' && message
          ? setUsage(message, event)
          : options.onUsage?.(event.usage, 'run')
      case 'retrying':
        return supersede(event)
      case 'turn-ended':
        return end(event)
      default:
        refuseWhenClosed()
        await session.append(entryOutsideTurns(event, runId))
    }
  }

  /** Records an event that refers to an unknown call, and lets the run continue (G8). */
  async function keepAsForeign(event: RecordedEvent): Promise<void> {
    refuseWhenClosed()
    const content = JSON.parse(JSON.stringify(event))
    await session.append({ type: 'foreign', source: 'agent', content })
  }

  /** Ends a failed attempt of the turn. The next attempt gets the same turn number. */
  async function supersede({
    cause,
    untilMs,
  }: Extract<RecordedEvent, { type: 'retrying' }>): Promise<void> {
    refuseWhenClosed()
    await calls.abandonOpen()
    const failed = message
    message = null
    const said = failed && keptMessage(failed, 'superseded')
    if (failed) options.onUsage?.(failed.fields.usage ?? undefined, 'cut-turn')
    const of = failed ? turn : turn + 1
    if (failed) turn--
    await session.append(...(said ? [said] : []), {
      type: 'retrying',
      runId,
      turn: of,
      cause,
      untilMs,
    })
    session.setPartial(null)
  }

  async function permission(
    { callId, question, options: choices }: PermissionQuestion,
    answer: PermissionAnswer | null,
  ): Promise<void> {
    refuseWhenClosed()
    await session.append({ type: 'permission', runId, callId, question, options: choices, answer })
  }

  function refuseWhenClosed(): void {
    if (isClosed) throw new Error('The run has ended: nothing more is recorded.')
  }

  async function end(of: TurnEnd): Promise<void> {
    // The calls of a turn get their results before it ends, even if the agent does not wait for
    // them.
    await calls.allEnded()
    if (!message) return
    ending ??= writeTurn(message, of).finally(() => {
      ending = null
    })
    await ending
  }

  async function writeTurn(open: OpenMessage, of: TurnEnd): Promise<void> {
    const { usage = open.fields.usage, model, stop, providerData } = of
    // A later turn has the usage, and the sum with it.
    const { sessionCostUsd = usage === null ? undefined : open.fields.sessionCostUsd } = of
    // Text and calls from here on belong to the next turn.
    message = null
    const parts = open.parts.finish()
    try {
      await session.append({
        ...open.fields,
        parts,
        status: 'complete',
        usage,
        sessionCostUsd,
        model,
        stop,
        providerData,
      })
    } catch (error) {
      message = open
      throw error
    }
    if (usage !== null) options.onUsage?.(usage, 'turn')
    session.setPartial(null)
    await options.afterTurn?.(turn)
  }

  /** Returns the message of an unfinished turn, or null if it has no content. */
  function keptMessage({ fields, parts: open }: OpenMessage, status: 'interrupted' | 'superseded') {
    const parts = open.finish()
    return parts.length > 0 ? { ...fields, parts, status } : null
  }

  async function interrupt(): Promise<void> {
    isClosed = true
    await calls.abandonOpen()
    if (!message) return
    const said = keptMessage(message, 'interrupted')
    if (said) await session.append(said)
    options.onUsage?.(message.fields.usage ?? undefined, 'cut-turn')
    message = null
    session.setPartial(null)
  }

  return {
    event,
    call,
    permission,
    endTurn: () => end({}),
    settleCalls: calls.abandonOpen,
    interrupt,
  }
}
