/** Semantic checks of the Chat Completions API. */
import { checkImages } from '../images.ts'
import type { IssuedRegistry } from '../issued.ts'
import type { Model } from '../models.ts'
import { checkCacheParameters } from '../openai-cache.ts'
import { checkOpenaiTools } from '../openai-shape.ts'
import { refuse } from '../refusal.ts'
import { checkLength } from '../too-long.ts'
import { type ChatMessage, type ChatRequest, textOf } from './request.ts'

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

export function checkChatRequest(request: ChatRequest, model: Model, issued: IssuedRegistry): void {
  if (model.refusesMaxTokens && request.max_tokens != null)
    refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { code: 'unsupported_parameter', param: 'max_tokens' },
    )
  if (request.chat_template_kwargs && model.wires.includes('responses'))
    refuse("Unknown parameter: 'chat_template_kwargs'.", {
      code: 'unknown_parameter',
      param: 'chat_template_kwargs',
    })
  if (request.stream_options && !request.stream)
    refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
  checkCacheParameters(request, model)
  checkOpenaiTools(
    (request.tools ?? []).map(({ function: { name, parameters, strict } }) => ({
      name,
      schema: parameters ?? { type: 'object' },
      strict: strict === true,
    })),
    (index, key) => `tools[${index}].function.${key}`,
  )
  checkContent(request.messages)
  checkCalls(request.messages, issued)
  checkReasoning(request, model, issued)
  checkImages('chat', request)
  checkLength('chat', request, model)
}

function checkContent(messages: ChatMessage[]): void {
  const first = messages.find(({ role }) => role !== 'system' && role !== 'developer')
  if (first?.role !== 'user') refuse("[fake] the first message is not the user's")
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') checkAssistant(message, index)
    else if (message.role !== 'tool' && textOf(message.content) === '' && !hasFile(message))
      refuse(`[fake] messages[${index}].content of the ${message.role} is empty`)
  }
}

const hasFile = ({ content }: ChatMessage) =>
  Array.isArray(content) && content.some(({ type }) => type !== 'text')

function checkAssistant({ content, tool_calls, refusal }: AssistantMessage, index: number): void {
  if (tool_calls?.length === 0)
    refuse(
      `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { code: 'empty_array', param: `messages[${index}].tool_calls` },
    )
  if (!tool_calls && !refusal && textOf(content) === '')
    refuse('Invalid assistant message: content or tool_calls must be set')
  for (const [at, { function: call }] of (tool_calls ?? []).entries())
    if (parse(call.arguments) === undefined)
      refuse(
        `Invalid 'messages[${index}].tool_calls[${at}].function.arguments': the arguments must be valid JSON.`,
      )
}

function checkCalls(messages: ChatMessage[], issued: IssuedRegistry): void {
  const seen = new Set<string>()
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id))
        refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        )
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    refuseOpen(open, index)
    if (message.role !== 'assistant') continue
    open = (message.tool_calls ?? []).map(({ id }) => id)
    for (const { id, function: called } of message.tool_calls ?? []) {
      if (seen.has(id))
        refuse(`Duplicate value for 'tool_call_id' of '${id}' in message[${index}].`, {
          param: 'messages',
        })
      seen.add(id)
      issued.checkCall(id, called.name, parse(called.arguments))
    }
  }
  refuseOpen(open, messages.length)
}

function refuseOpen(open: string[], index: number): void {
  if (open.length > 0)
    refuse(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      { param: `messages.[${index}].role` },
    )
}

function checkReasoning({ messages }: ChatRequest, model: Model, issued: IssuedRegistry): void {
  const lastPrompt = messages.findLastIndex(({ role }) => role === 'user')
  for (const [index, message] of messages.entries()) {
    if (index < lastPrompt || message.role !== 'assistant') continue
    const { reasoning_content: reasoning, tool_calls: calls } = message
    if (!calls) continue
    if (
      model.demandsReasoning &&
      !reasoning &&
      calls.some(({ id }) => issued.call(id)?.reasoning[0])
    )
      refuse(
        `Missing \`reasoning_content\` field in the assistant message at message index ${index}.`,
      )
    for (const { id } of calls) issued.checkReasoning(id, model.id, reasoning ? [reasoning] : [])
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
