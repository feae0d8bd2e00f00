/**
 * Records the calls of one run, those executed by Shiplog and those executed by the agent: before
 * and after each of them (J6).
 */

import type { CallRevision } from '../../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { HostCall } from '../../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import type { ShellChange, ToolCallEntry } from '../../../shared/records/entry-types/tool-calls.ts'
import { newToolCallId, type ToolCallId } from '../../../shared/records/ids.ts'
import type { Session } from '../../sessions/session.ts'
import type { CalledTool } from '../changes/snapshots.ts'

export interface ExecutedCall extends ToolResult {
  /** Its changes to the shell; absent for a call without access to it. */
  shellChange?: ShellChange
  /** The part of its duration in which a user was asked for permission. */
  waitedMs?: number
}

export type ExecuteCall = (
  callId: ToolCallId,
  messageUuid: ToolCallEntry['messageUuid'],
) => Promise<ExecutedCall>

type CallStarted = Extract<AgentEvent, { type: 'call-started' }>
type CallUpdated = Extract<AgentEvent, { type: 'call-updated' }>
type CallEnded = Extract<AgentEvent, { type: 'call-ended' }>
type InTurn = Pick<ToolCallEntry, 'messageUuid' | 'runId' | 'turn'>

interface OpenCall {
  callId: ToolCallId
  common: InTurn & Pick<ToolCallEntry, 'callId' | 'name'>
  entry: Omit<ToolCallEntry, 'v' | 'seq' | 'at' | 'uuid' | 'parentUuid'>
  startedMs: number
  /** Resolves once its result is recorded, or was refused. */
  settled: PromiseWithResolvers<void>
  /** More precise fields that the agent sent later. */
  revised: CallRevision
  /** True while its result is being written. */
  isRecording?: boolean
}

interface CallRecorder {
  /** Assigns the call an id of Shiplog's, without recording it. */
  begin(place: InTurn, call: HostCall | CallStarted): OpenCall
  record(call: OpenCall): Promise<void>
  /**
   * Records the call, executes it, and records its result. `beforehand` throws if it must not
   * begin.
   */
  run(call: OpenCall, execute: ExecuteCall, beforehand: () => void): Promise<ToolResult>
  /** False if the agent has no such open call. */
  update(news: CallUpdated): boolean
  end(result: CallEnded): Promise<boolean>
  /** Resolves once no call is open. Calls that the agent executes end with its turn. */
  allEnded(): Promise<void>
  /** Records an unknown outcome for every open call. */
  abandonOpen(): Promise<void>
}

export function createCallRecorder({
  session,
  clock,
  mask,
  afterTool,
}: {
  session: Session
  clock: () => number
  mask: Masker
  /** Returns the tree of the files after a call, or null. */
  afterTool?: ((call: CalledTool) => Promise<string | null>) | undefined
}): CallRecorder {
  const open = new Map<ToolCallId, OpenCall>()
  /** The ids of all calls of the run. */
  const used = new Set<ToolCallId>()
  /** The calls that the agent executes, by its own ids. */
  const elsewhere = new Map<ToolCallId, OpenCall>()

  function begin(place: InTurn, asked: HostCall | CallStarted): OpenCall {
    const { name, input, providerData } = asked
    // Some providers give one id to several calls.
    const isNew = asked.callId !== undefined && !used.has(asked.callId)
    const callId = isNew ? (asked.callId as ToolCallId) : newToolCallId()
    used.add(callId)
    const common = { ...place, callId, name }
    const { by, kind, title, locations } = 'by' in asked ? asked : ({} as Partial<CallStarted>)
    const call: OpenCall = {
      callId,
      common,
      entry: {
        type: 'tool-call',
        ...common,
        // The agent's arguments are recorded as JSON: that is the form in which they are read back.
        input: input === undefined ? null : JSON.parse(JSON.stringify(input)),
        ...(by && { by }),
        ...(kind && { kind }),
        ...(title !== undefined && { title }),
        ...(locations && { locations }),
        ...(providerData && { providerData }),
      },
      startedMs: clock(),
      settled: Promise.withResolvers(),
      revised: {},
    }
    open.set(callId, call)
    if (by && asked.callId !== undefined) elsewhere.set(asked.callId, call)
    return call
  }

  async function record(call: OpenCall): Promise<void> {
    try {
      await session.append(call.entry)
    } catch (error) {
      forget(call)
      throw error
    }
  }

  function forget(call: OpenCall): void {
    call.settled.resolve()
    open.delete(call.callId)
    for (const [id, other] of elsewhere) if (other === call) elsewhere.delete(id)
  }

  const durationOf = ({ startedMs }: OpenCall) => Math.max(0, clock() - startedMs)

  async function run(call: OpenCall, execute: ExecuteCall, beforehand: () => void) {
    await record(call)
    call.startedMs = clock()
    try {
      beforehand()
      const {
        shellChange: shell,
        waitedMs = 0,
        ...result
      } = await execute(call.callId, call.common.messageUuid)
      const durationMs = Math.max(0, durationOf(call) - waitedMs)
      const tree = await afterTool?.(call.entry)
      if (open.get(call.callId) !== call) throw new Error('Its outcome is recorded as unknown.')
      call.isRecording = true
      const { output, detail } = mask.value({ output: result.output, detail: result.detail })
      // The images must be durable before the result that refers to them.
      const images = await Promise.all(
        (result.images ?? []).map(async ({ mediaType, data }) => ({
          mediaType,
          ...(await session.storeBlob(data)),
        })),
      )
      await session.append({
        type: 'tool-result',
        ...call.common,
        outcome: result.outcome,
        output,
        ...(images.length > 0 && { images }),
        detail,
        shell,
        durationMs,
        ...(tree && { tree }),
      })
      return { ...result, output, ...(detail ? { detail } : {}) }
    } catch (error) {
      // It was aborted: its effect is unknown, and it is never run again (S3).
      if (open.get(call.callId) !== call) throw error
      call.isRecording = true
      await recordUnknown(call).catch(() => undefined) // the first error is reported
      throw error
    } finally {
      forget(call)
    }
  }

  async function recordUnknown(call: OpenCall): Promise<void> {
    await session.append({
      type: 'tool-result',
      ...call.common,
      outcome: 'unknown',
      output: interruptedOutput,
      durationMs: durationOf(call),
      ...revisionOf(call),
    })
  }

  const revisionOf = ({ revised }: OpenCall) => (Object.keys(revised).length > 0 ? { revised } : {})

  function update(news: CallUpdated): boolean {
    const call = elsewhere.get(news.callId)
    if (!call) return false
    const { kind, title, input, locations } = news
    Object.assign(
      call.revised,
      kind && { kind },
      title !== undefined && { title: mask.text(title) },
      input !== undefined && { input: mask.value(input) },
      locations && { locations },
    )
    session.callProgressed({
      callId: call.callId,
      output: mask.text(news.output ?? ''),
      ...(title !== undefined && { title: mask.text(title) }),
    })
    return true
  }

  async function end({
    callId,
    outcome,
    output,
    detail,
    providerData,
  }: CallEnded): Promise<boolean> {
    const call = elsewhere.get(callId)
    if (!call) return false
    call.isRecording = true
    const durationMs = durationOf(call)
    try {
      const tree = await afterTool?.(call.entry)
      await session.append({
        type: 'tool-result',
        ...call.common,
        outcome,
        output: mask.text(output),
        ...(detail && { detail: mask.value(detail) }),
        durationMs,
        ...(tree && { tree }),
        ...(providerData && { providerData }),
        ...revisionOf(call),
      })
    } finally {
      forget(call)
    }
    return true
  }

  async function abandonOpen(): Promise<void> {
    for (const call of [...open.values()]) {
      if (call.isRecording) {
        await call.settled.promise
        continue
      }
      forget(call)
      await recordUnknown(call)
    }
  }

  async function allEnded(): Promise<void> {
    for (const call of new Set(elsewhere.values())) {
      forget(call)
      await recordUnknown(call)
    }
    // Calls of the same turn may begin in the meantime.
    while (open.size > 0) await Promise.all([...open.values()].map((call) => call.settled.promise))
  }

  return { begin, record, run, update, end, allEnded, abandonOpen }
}

const interruptedOutput = 'Interrupted while it ran: its outcome is unknown.'
