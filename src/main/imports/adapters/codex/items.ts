/** Maps `response_item` records: the model's input and output. */
import { asRecord, records, text } from '../values.ts'
import type { CallMapper } from './calls.ts'
import type { Mapping, RolloutMeta } from './lines.ts'
import { type ModelOutput, reasoningText } from './model-output.ts'
import { contentParts, imageOf } from './prompts.ts'
import { type CallOutput, mapCall } from './tools.ts'

interface ItemContext {
  calls: CallMapper
  modelOutput: ModelOutput
  meta: RolloutMeta | null
  addPrompt(payload: Record<string, unknown>, isCopy: boolean): void
}

const done: CallOutput = { text: '', images: [], exitCode: null, isError: false }

export function createItemMapper({ calls, modelOutput, meta, addPrompt }: ItemContext) {
  let unnamedCalls = 0

  function mapItem(payload: Record<string, unknown>, isCopy: boolean): Mapping {
    switch (payload.type) {
      case 'message':
        return payload.role === 'assistant' ? said(payload) : 'quiet'
      case 'reasoning':
        return reasoned(payload)
      case 'function_call':
        return called(payload, nameOf(payload), payload.arguments)
      case 'custom_tool_call':
        return called(payload, nameOf(payload), payload.input)
      case 'local_shell_call':
        return called(payload, 'local_shell', shellArguments(asRecord(payload.action)))
      case 'tool_search_call':
        return called(payload, 'tool_search', payload.arguments)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return returned(payload, payload.output)
      case 'tool_search_output':
        return returned(payload, JSON.stringify(payload.tools ?? []))
      case 'web_search_call':
        return searched(payload)
      case 'image_generation_call':
        return generated(payload)
      case 'agent_message':
        return received(payload, isCopy)
      case 'additional_tools':
        return 'quiet'
      default:
        return 'preserved'
    }
  }

  function said(payload: Record<string, unknown>): Mapping {
    const parts = contentParts(payload.content)
    for (const part of parts) if (typeof part === 'string') modelOutput.addItem('text', part)
    return parts.length > 0 && parts.every((part) => typeof part === 'string')
      ? 'mapped'
      : 'preserved'
  }

  /** Maps reasoning and keeps its encrypted content as provider data. */
  function reasoned(payload: Record<string, unknown>): Mapping {
    const encrypted = text(payload.encrypted_content)
    const words = reasoningText(payload)
    if (words === '' && encrypted === null) return 'quiet'
    const data = encrypted === null ? undefined : { encrypted_content: encrypted }
    modelOutput.addItem('reasoning', words, data)
    return 'mapped'
  }

  function called(payload: Record<string, unknown>, name: string | null, given: unknown): Mapping {
    const callId = text(payload.call_id) ?? text(payload.id)
    if (callId === null || name === null) return 'preserved'
    modelOutput.flushEvents()
    modelOutput.clearLastText()
    calls.begin(callId, name, given)
    return 'mapped'
  }

  function returned(payload: Record<string, unknown>, output: unknown): Mapping {
    modelOutput.endResponse()
    return calls.end(text(payload.call_id) ?? '', output) ? 'mapped' : 'preserved'
  }

  /** Maps a web search by the provider, which has no recorded result. */
  function searched(payload: Record<string, unknown>): Mapping {
    modelOutput.flushEvents()
    modelOutput.responseId()
    const isError = payload.status === 'failed'
    calls.addCompleted(idOf(payload), mapCall('web_search', asRecord(payload.action)), {
      ...done,
      isError,
    })
    return 'mapped'
  }

  function generated(payload: Record<string, unknown>): Mapping {
    const { result, revised_prompt: prompt, status } = payload
    const image = imageOf(`data:image/png;base64,${text(result) ?? ''}`)
    if (!image || image.data.length === 0) return 'preserved'
    modelOutput.flushEvents()
    modelOutput.responseId()
    const call = mapCall('image_generation', { prompt: prompt ?? null })
    calls.addCompleted(idOf(payload), call, {
      ...done,
      images: [image],
      isError: status === 'failed',
    })
    return 'mapped'
  }

  /**
   * Maps a message between threads: a task from the parent is a prompt; answers of sub-agents are preserved verbatim.
   */
  function received(payload: Record<string, unknown>, isCopy: boolean): Mapping {
    const isTask =
      meta?.agentPath != null && payload.recipient === meta.agentPath && meta.parentId !== null
    if (!isTask) return 'preserved'
    const content = records(payload.content).map((part) =>
      part.type === 'encrypted_content' ? { text: text(part.encrypted_content) ?? '' } : part,
    )
    const whole = contentParts(content)
    const [head, ...others] = whole
    const [, words] =
      /^Message Type: [^\n]*\n(?:[\w ]+: [^\n]*\n)*Payload:\n([\s\S]*)$/.exec(
        typeof head === 'string' ? head : '',
      ) ?? []
    const said = words === undefined ? whole : [...(words === '' ? [] : [words]), ...others]
    addPrompt({ content: said.map((part) => ({ text: part })) }, isCopy)
    return 'mapped'
  }

  const idOf = (payload: Record<string, unknown>): string =>
    text(payload.id) ?? text(payload.call_id) ?? `${text(payload.type)}-${unnamedCalls++}`

  return mapItem
}

const nameOf = ({ name, namespace }: Record<string, unknown>): string | null => {
  const own = text(name)
  const group = text(namespace)
  // Codex's sub-agent tools are identified by name only.
  if (
    own === null ||
    group === null ||
    /^(?:multi_agent_v\d+|collaboration|functions)$/.test(group)
  )
    return own
  return `${group}${group.endsWith('__') ? '' : '__'}${own}`
}

const shellArguments = (action: Record<string, unknown>) => {
  const { type: _, command, timeout_ms, working_directory, ...others } = action
  return {
    command,
    ...(timeout_ms != null && { timeout_ms }),
    ...(working_directory != null && { workdir: working_directory }),
    ...others,
  }
}
