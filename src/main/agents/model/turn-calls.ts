/** The tool calls of a model's turns: their ids, and their results. */
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentHost } from '../../../shared/agents/driver/agent-session.ts'
import { isRepeatedAfterCrash } from '../../../shared/agents/tool-traits.ts'
import { newToolCallId, type ToolCallId, toolCallIdSchema } from '../../../shared/records/ids.ts'
import { noUsage } from '../../../shared/records/usage.ts'
import { makeCalls } from './calls.ts'
import type { ConversationItem, TurnCall } from './conversation/conversation.ts'

/** Providers may reuse ids of calls. In the record they identify the tasks that calls start, so each is used once (S3). */
export function createUniqueIds(conversation: ConversationItem[]): (id: string) => ToolCallId {
  const used = new Set(conversation.flatMap(callsOf).map(({ callId }) => callId))
  return (id) => {
    const parsed = toolCallIdSchema.safeParse(id)
    const unique = parsed.success && !used.has(parsed.data) ? parsed.data : newToolCallId()
    used.add(unique)
    return unique
  }
}

/**
 * Repeats the calls of the interrupted turn whose outcome the services know, so that a parent continues to wait for its
 * sub-agents (S3). Returns whether this ended the run.
 */
export async function* repeatOpenCalls(
  conversation: ConversationItem[],
  host: AgentHost,
): AsyncGenerator<AgentEvent, boolean> {
  const lastWhole = conversation.findLastIndex(
    (item) => item.type === 'user' || item.state === 'whole',
  )
  const open = conversation
    .slice(lastWhole + 1)
    .flatMap(callsOf)
    .filter(
      ({ name, result }) =>
        (result?.outcome ?? 'unknown') === 'unknown' && isRepeatedAfterCrash(name),
    )
  if (open.length === 0) return false
  yield { type: 'turn-started' }
  const ended = await answerCalls(open, host)
  yield { type: 'turn-ended', usage: noUsage }
  return ended
}

/** Makes the calls and sets their results. Resolves with whether one of them ended the run. */
export async function answerCalls(calls: TurnCall[], host: AgentHost): Promise<boolean> {
  const results = await makeCalls(
    calls.map(({ name, input, callId, providerData }) => ({
      name,
      input,
      callId,
      ...(providerData && { providerData }),
    })),
    host.callTool,
  )
  for (const [index, result] of results.entries()) {
    const call = calls[index]
    if (!call || !result) continue
    const { outcome, output, images } = result
    call.result = { outcome, output, images }
  }
  return results.some((result) => result?.endsRun === true)
}

/** Returns the report of a sub-agent that was asked for one and made none: its last message (T3). */
export function reportOf(text: string, callId: ToolCallId): TurnCall {
  const title = 'Its last message: it gave no report'
  const markdown = `*This agent ended without a report, also when it was asked for one. Its last message:*\n\n${text}`
  return { type: 'call', callId, name: 'agent_report', input: { title, markdown }, result: null }
}

const callsOf = (item: ConversationItem): TurnCall[] =>
  item.type === 'turn' ? item.parts.filter((part) => part.type === 'call') : []
