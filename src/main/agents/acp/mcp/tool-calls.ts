/**
 * Makes the calls of an installed agent over MCP through the host of its run. Clients repeat calls, and abandon calls
 * that take long; this neither starts a sub-agent twice nor stops one.
 */
import type { AgentHost, HostCall } from '../../../../shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { untilAborted, whenAborted } from '../../../../shared/async/until-aborted.ts'
import { messageOf } from '../../../../shared/error-message.ts'
import { type ToolCallId, toolCallIdSchema } from '../../../../shared/records/ids.ts'

interface McpCall {
  name: string
  input: unknown
  /** The agent's id of the call, which its ACP updates have as well; null if the client sends none. */
  callId: ToolCallId | null
  /** Aborted when the client needs an answer, and when it disconnects. */
  stopWaiting: AbortSignal
}

export interface ToolCalls {
  /** Never rejects: a call that can't be made has an `error` result. */
  call(call: McpCall): Promise<Answer>
  /**
   * Calls wait for this, because agents connect before their run begins. `untilRead` resolves once the agent's earlier
   * updates were read: they arrive on another channel, and an update sent before a call must not end the call's turn.
   */
  connect(host: AgentHost, untilRead: () => Promise<void>): void
  /** Reports whether a call with this id was received. */
  received(callId: string): boolean
  /** True once the agent has reported. */
  reported(): boolean
  /** Answers calls that wait for sub-agents, because the agent has continued without them. */
  stopWaiting(): void
  /** Ends all waits of the prompt. The same request in a later prompt is a new call. */
  turnEnded(): void
  /** Later calls are refused. */
  close(): void
}

type Answer = Pick<ToolResult, 'outcome' | 'output'>

/**
 * Returns the id of a call if the client sends one, as Claude Code and Codex do. It equals the `toolCallId` of the
 * agent's ACP updates.
 */
export function callIdOf(meta: Record<string, unknown> | undefined): ToolCallId | null {
  for (const key of ['claudecode/toolUseId', 'callId']) {
    const parsed = toolCallIdSchema.safeParse(meta?.[key])
    if (parsed.success) return parsed.data
  }
  return null
}

/** A call that was made. Repeated calls are recognized by their id or content and get the same result. */
interface MadeCall {
  name: string
  result: Promise<ToolResult>
}

/** `graceMs` is the time from `stopWaiting` until a call is answered without its tool. */
export function createToolCalls({ graceMs }: { graceMs: number }): ToolCalls {
  const connected = Promise.withResolvers<{ host: AgentHost; untilRead: () => Promise<void> }>()
  const closed = new AbortController()
  const madeCalls = new Map<string, MadeCall>()
  const receivedIds = new Set<string>()
  let turn = new AbortController()
  let hasReported = false
  // Rejects without a listener if no call was made.
  connected.promise.catch(() => {})

  async function call(request: McpCall): Promise<Answer> {
    if (request.callId !== null) receivedIds.add(request.callId)
    try {
      closed.signal.throwIfAborted()
      return await untilAborted(
        Promise.race([callWithinTurn(request), answerAfterGrace(request.stopWaiting, graceMs)]),
        closed.signal,
      )
    } catch (error) {
      const why = messageOf(error)
      return { outcome: 'error', output: `Not done: ${why}` }
    }
  }

  async function callWithinTurn(request: McpCall): Promise<Answer> {
    const { untilRead } = await untilAborted(connected.promise, closed.signal)
    await untilRead()
    const stopWaiting = AbortSignal.any([request.stopWaiting, turn.signal])
    return Promise.race([
      answerOnce({ ...request, stopWaiting }),
      answerAfterGrace(stopWaiting, graceMs),
    ])
  }

  async function answerOnce(request: McpCall): Promise<Answer> {
    if (request.name === 'task_await') await startsSettled(request.stopWaiting)
    const key = keyOf(request)
    const before = key === null ? undefined : madeCalls.get(key)
    if (before === undefined || key === null) return makeCall(request, key)
    return answerRepeated(await before.result, request)
  }

  function makeCall({ name, input, callId, stopWaiting }: McpCall, key: string | null) {
    const result = makeHostCall(
      { name, input, ...(callId !== null && { callId }) },
      stopWaiting,
    ).catch((error) => {
      // The call had no effect, or the run is over, so a repeated one is made.
      if (key !== null) madeCalls.delete(key)
      throw error
    })
    if (key !== null) madeCalls.set(key, { name, result })
    return result
  }

  async function makeHostCall(call: HostCall, stopWaiting: AbortSignal): Promise<ToolResult> {
    const { host } = await untilAborted(connected.promise, closed.signal)
    const result = await host.callTool(call, { stopWaiting })
    hasReported ||= result.endsRun === true
    return result
  }

  /** Answers a call that the client repeated after abandoning the first one, by waiting for the same sub-agent. */
  async function answerRepeated(first: ToolResult, request: McpCall): Promise<Answer> {
    const isBackground = (request.input as { background?: unknown } | null)?.background === true
    if (request.name !== 'task' || isBackground || first.detail?.kind !== 'tasks') return first
    const tasks = first.detail.tasks.map(({ taskId }) => taskId)
    return answerOnce({ ...request, name: 'task_await', input: { tasks }, callId: null })
  }

  /** Resolves once all starts of sub-agents are settled: a sub-agent has no id while a user decides on its start. */
  async function startsSettled(stopWaiting: AbortSignal): Promise<void> {
    const starts = [...madeCalls.values()].filter(({ name }) => name === 'task')
    await Promise.race([
      Promise.allSettled(starts.map(({ result }) => result)),
      whenAborted(stopWaiting),
    ])
  }

  function stopWaiting(): void {
    turn.abort()
    turn = new AbortController()
  }

  return {
    call,
    connect: (host, untilRead) => connected.resolve({ host, untilRead }),
    received: (callId) => receivedIds.has(callId),
    reported: () => hasReported,
    stopWaiting,
    turnEnded() {
      stopWaiting()
      // Calls with an id are kept, because their client may repeat one at any time.
      for (const key of madeCalls.keys()) if (key.startsWith(contentKey)) madeCalls.delete(key)
    },
    close() {
      closed.abort(new Error('the run has ended.'))
      turn.abort()
    },
  }
}

const contentKey = 'content:'

/** Returns the key that a repeated call has as well; null if each call of this kind is made. */
function keyOf({ name, input, callId }: McpCall): string | null {
  const content = JSON.stringify(sorted(input))
  // Some agents reuse an id for another call, so a repeated call must have the same input as well.
  if (callId !== null) return `id:${callId} ${name} ${content}`
  return name === 'task' ? `${contentKey}${content}` : null
}

/** Returns the input independent of the order in which the client wrote its keys. */
const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : value

async function answerAfterGrace(stopWaiting: AbortSignal, graceMs: number): Promise<Answer> {
  await whenAborted(stopWaiting)
  await new Promise((resolve) => setTimeout(resolve, graceMs).unref())
  return {
    outcome: 'ok',
    output:
      'Not done yet: it may need a user’s permission. Call task_await to wait for it; do not start it again.',
  }
}
