/**
 * Maps `event_msg` records. Most events repeat other records or add facts about a call. Handles the separate event
 * types of older versions and `item_completed` of newer ones.
 */
import { fileURLToPath } from 'node:url'
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, records, text, titleOf } from '../values.ts'
import type { CallMapper } from './calls.ts'
import { reportedEdits } from './edits.ts'
import type { Mapping } from './lines.ts'
import type { ModelOutput } from './model-output.ts'
import { mapCall, outputOf } from './tools.ts'

interface EventContext {
  builder: TranscriptBuilder
  calls: CallMapper
  modelOutput: ModelOutput
  onTitle(title: string): void
  onTurnEnd(isComplete: boolean, lastMessage: string | null): void
  onCompactionEvent(): Mapping
}

export function createEventMapper(context: EventContext) {
  const { builder, calls, modelOutput } = context

  function mapEvent(payload: Record<string, unknown>): Mapping {
    const callId = text(payload.call_id) ?? ''
    switch (payload.type) {
      case 'agent_message':
        return modelOutput.addEvent('text', text(payload.message))
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        return modelOutput.addEvent('reasoning', text(payload.text))
      case 'item_completed':
        return mapItem(asRecord(payload.item))
      case 'exec_command_end':
        return command(callId, payload)
      case 'patch_apply_end':
        return patch(callId, payload)
      case 'mcp_tool_call_end':
        return mcpCall(callId, asRecord(payload.invocation), payload.result)
      case 'collab_agent_spawn_end':
        return agent(callId, text(payload.new_thread_id))
      case 'context_compacted':
        return context.onCompactionEvent()
      case 'thread_name_updated':
        return title(payload.thread_name)
      case 'task_complete':
      case 'turn_complete':
        context.onTurnEnd(true, text(payload.last_agent_message))
        return 'quiet'
      case 'turn_aborted':
        context.onTurnEnd(false, null)
        return 'preserved'
      case 'error':
      case 'stream_error':
      case 'exited_review_mode':
      case 'entered_review_mode':
      case 'thread_rolled_back':
        return 'preserved'
      default:
        return 'quiet'
    }
  }

  function mapItem(item: Record<string, unknown>): Mapping {
    const id = text(item.id) ?? ''
    switch (item.type) {
      case 'AgentMessage':
        return modelOutput.addEvent('text', joined(item.content))
      case 'Reasoning':
        return modelOutput.addEvent(
          'reasoning',
          strings(item.summary_text) || strings(item.raw_content),
        )
      case 'Plan':
        return modelOutput.addEvent('text', text(item.text))
      case 'CommandExecution':
        return command(id, item)
      case 'FileChange':
        return patch(id, item)
      case 'McpToolCall':
        return mcpCall(id, item, item.result ?? item.error)
      case 'CollabAgentToolCall':
        return agent(id, first(item.receiver_thread_ids))
      case 'SubAgentActivity':
        return item.kind === 'started' ? agent(id, text(item.agent_thread_id)) : 'quiet'
      case 'ImageView':
        return calls.addFacts(id, {}) ? 'mapped' : 'quiet'
      case 'ContextCompaction':
        return context.onCompactionEvent()
      default:
        return 'quiet'
    }
  }

  /** Maps a command of an open call, or one that a script ran. */
  function command(id: string, given: Record<string, unknown>): Mapping {
    const exitCode = typeof given.exit_code === 'number' ? given.exit_code : null
    if (calls.addFacts(id, { exitCode })) return 'mapped'
    // The command continued after its call had returned.
    if (id === '' || calls.isClosed(id)) return 'quiet'
    const { command: argv } = given
    const workdir = pathOf(given.cwd)
    const output = text(given.aggregated_output) ?? text(given.formatted_output) ?? ''
    calls.addCompleted(id, mapCall('shell', { command: argv ?? '', ...(workdir && { workdir }) }), {
      text: output,
      images: [],
      exitCode,
      isError: exitCode !== 0,
      isRefused: given.status === 'declined',
    })
    return 'mapped'
  }

  function patch(id: string, given: Record<string, unknown>): Mapping {
    const isDone =
      given.success !== false && given.status !== 'failed' && given.status !== 'declined'
    const edits = isDone ? reportedEdits(given.changes, builder.cwd) : []
    if (calls.addFacts(id, { edits })) return 'mapped'
    if (id === '' || calls.isClosed(id) || edits.length === 0) return 'preserved'
    for (const [at, edit] of edits.entries()) calls.addEdit(`${id}/${at}`, edit)
    return 'mapped'
  }

  function mcpCall(id: string, given: Record<string, unknown>, result: unknown): Mapping {
    if (calls.addFacts(id, {})) return 'mapped'
    const [server, tool] = [text(given.server), text(given.tool)]
    if (id === '' || calls.isClosed(id) || server === null || tool === null) return 'quiet'
    // Some versions wrap the result in `Ok` or `Err`.
    const answer = asRecord(asRecord(result).Ok ?? result)
    const failure = text(asRecord(result).Err) ?? text(answer.message)
    const said = failure ?? joined(answer.content)
    calls.addCompleted(id, mapCall(`mcp__${server}__${tool}`, given.arguments ?? {}), {
      ...outputOf(said),
      isError: failure !== null || answer.is_error === true || answer.isError === true,
    })
    return 'mapped'
  }

  const agent = (callId: string, threadId: string | null): Mapping =>
    threadId !== null && calls.addFacts(callId, { agentId: threadId }) ? 'mapped' : 'quiet'

  function title(given: unknown): Mapping {
    const name = text(given)
    if (!name?.trim()) return 'quiet'
    builder.setTitle(titleOf(name))
    context.onTitle(name)
    return 'mapped'
  }

  return mapEvent
}

/** Converts `file:` URLs, which newer versions use for folders, to paths. */
function pathOf(given: unknown): string | null {
  const path = text(given)
  if (!path?.startsWith('file://')) return path
  try {
    return fileURLToPath(path)
  } catch {
    return path
  }
}

const joined = (content: unknown): string =>
  records(content)
    .flatMap((part) => text(part.text) ?? [])
    .join('\n')
const strings = (given: unknown): string =>
  Array.isArray(given) ? given.filter((one) => typeof one === 'string').join('\n\n') : ''
const first = (given: unknown): string | null => (Array.isArray(given) ? text(given[0]) : null)
