/**
 * The calls that an installed agent makes over MCP, through the host of its run. Clients repeat calls, and give up on
 * calls that take long; sub-agents are neither started twice nor stopped by that.
 */
import type { AgentHost, HostCall } from '../../../../shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { type ToolCallId, toolCallIdSchema } from '../../../../shared/records/ids.ts'
import { untilAborted } from '../../tools/tool.ts'

interface McpCall {
  name: string
  input: unknown
  /** The agent's id for it, which its ACP updates have as well. Null: the client sends none. */
  callId: ToolCallId | null
  /** Aborted when the answer is wanted at the latest, and when the client left. */
  stopWaiting: AbortSignal
}

export interface ToolCalls {
  /** Answers always: what prevents a call is an `error` result. */
  call(call: McpCall): Promise<Answer>
  /**
   * Calls wait for this, because agents connect before their run begins. `untilRead` resolves once the agent's updates
   * until now were read: they come by another way, and one that was sent before a call must not end its turn.
   */
  connect(host: AgentHost, untilRead: () => Promise<void>): void
  /** Reports whether a call with this id was received. */
  received(callId: string): boolean
  /** True once the agent has reported. */
  reported(): boolean
  /** Answers calls that wait for sub-agents: the agent continues without them. */
  stopWaiting(): void
  /** Ends all waits of the prompt. The same request in a later one is a new one. */
  turnEnded(): void
  /** Later calls are refused. */
  close(): void
}

type Answer = Pick<ToolResult, 'outcome' | 'output'>

/**
 * What a client sends as the id of a call: Claude Code and Codex do. It equals the `toolCallId` of the agent's ACP
 * updates.
 */
export function callIdOf(meta: Record<string, unknown> | undefined): ToolCallId | null {
  for (const key of ['claudecode/toolUseId', 'callId']) {
    const parsed = toolCallIdSchema.safeParse(meta?.[key])
    if (parsed.success) return parsed.data
  }
  return null
}

/** A call that was made, by the client's id or by its content. */
interface MadeCall {
  name: string
  result: Promise<ToolResult>
}

/** `graceMs`: after `stopWaiting`, until a call is answered without its tool. */
export function createToolCalls({ graceMs }: { graceMs: number }): ToolCalls {
  const connected = Promise.withResolvers<{ host: AgentHost; untilRead: () => Promise<void> }>()
  const closed = new AbortController()
  const made = new Map<string, MadeCall>()
  const receivedIds = new Set<string>()
  let turn = new AbortController()
  let hasReported = false
  // Without a call, nobody waits for it.
  connected.promise.catch(() => {})

  async function call(asked: McpCall): Promise<Answer> {
    if (asked.callId !== null) receivedIds.add(asked.callId)
    try {
      closed.signal.throwIfAborted()
      return await untilAborted(
        Promise.race([inItsTurn(asked), graceAfter(asked.stopWaiting, graceMs)]),
        closed.signal,
      )
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { outcome: 'error', output: `Not done: ${why}` }
    }
  }

  async function inItsTurn(asked: McpCall): Promise<Answer> {
    const { untilRead } = await untilAborted(connected.promise, closed.signal)
    await untilRead()
    const stopWaiting = AbortSignal.any([asked.stopWaiting, turn.signal])
    return Promise.race([answered({ ...asked, stopWaiting }), graceAfter(stopWaiting, graceMs)])
  }

  async function answered(asked: McpCall): Promise<Answer> {
    if (asked.name === 'task_await') await startsOver(asked.stopWaiting)
    const key = keyOf(asked)
    const before = key === null ? undefined : made.get(key)
    if (before === undefined || key === null) return makeCall(asked, key)
    return again(await before.result, asked)
  }

  function makeCall({ name, input, callId, stopWaiting }: McpCall, key: string | null) {
    const result = makeHostCall(
      { name, input, ...(callId !== null && { callId }) },
      stopWaiting,
    ).catch((error) => {
      // It had no effect, or the run is over.
      if (key !== null) made.delete(key)
      throw error
    })
    if (key !== null) made.set(key, { name, result })
    return result
  }

  async function makeHostCall(call: HostCall, stopWaiting: AbortSignal): Promise<ToolResult> {
    const { host } = await untilAborted(connected.promise, closed.signal)
    const result = await host.callTool(call, { stopWaiting })
    hasReported ||= result.endsRun === true
    return result
  }

  /** The client made the call again because it gave up on the first one: the same sub-agent is waited for. */
  async function again(first: ToolResult, asked: McpCall): Promise<Answer> {
    const isBackground = (asked.input as { background?: unknown } | null)?.background === true
    if (asked.name !== 'task' || isBackground || first.detail?.kind !== 'tasks') return first
    const tasks = first.detail.tasks.map(({ taskId }) => taskId)
    return answered({ ...asked, name: 'task_await', input: { tasks }, callId: null })
  }

  /** A sub-agent whose start is still being decided can't be named yet. */
  async function startsOver(stopWaiting: AbortSignal): Promise<void> {
    const starts = [...made.values()].filter(({ name }) => name === 'task')
    await Promise.race([
      Promise.allSettled(starts.map(({ result }) => result)),
      aborted(stopWaiting),
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
      // A client that sends ids may repeat a call at any time.
      for (const key of made.keys()) if (key.startsWith(contentKey)) made.delete(key)
    },
    close() {
      closed.abort(new Error('the run has ended.'))
      turn.abort()
    },
  }
}

const contentKey = 'content:'

/** Null: the call may be made again, with the same effect or with an effect of its own. */
function keyOf({ name, input, callId }: McpCall): string | null {
  const content = JSON.stringify(sorted(input))
  // Some agents give an id again: the same call has the same input as well.
  if (callId !== null) return `id:${callId} ${name} ${content}`
  return name === 'task' ? `${contentKey}${content}` : null
}

/** With its keys in one order, whatever order the client wrote them in. */
const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : value

async function graceAfter(stopWaiting: AbortSignal, graceMs: number): Promise<Answer> {
  await aborted(stopWaiting)
  await new Promise((resolve) => setTimeout(resolve, graceMs).unref())
  return {
    outcome: 'ok',
    output:
      'Not done yet: it may need a person’s permission. Call task_await to wait for it; do not start it again.',
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
