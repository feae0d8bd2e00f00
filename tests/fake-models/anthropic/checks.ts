/** Semantic checks of the Messages API. */
import { checkImages } from '../images.ts'
import type { IssuedRegistry } from '../issued.ts'
import type { Model } from '../models.ts'
import { refuse } from '../refusal.ts'
import { checkLength } from '../too-long.ts'
import { findToolProblem } from '../tool-definitions.ts'
import type { MessageBlock, MessagesRequest } from './request.ts'

interface MessageTurn {
  role: 'user' | 'assistant'
  blocks: MessageBlock[]
  /** Index of its first message in the request. */
  index: number
}

const breakpointsMax = 4

export function checkMessagesRequest(
  request: MessagesRequest,
  model: Model,
  issued: IssuedRegistry,
  betas: readonly string[],
): void {
  checkBetas(request, betas)
  checkSystemMessages(request, model)
  checkSettings(request, model)
  checkTools(request)
  checkCacheControl(request)
  const turns = mergeTurns(request)
  checkContent(request)
  checkCalls(turns)
  checkIssued(request, turns, issued)
  checkImages('anthropic', request)
  checkLength('anthropic', request, model)
}

/** Fields that are refused without the header of their beta. */
function checkBetas(request: MessagesRequest, betas: readonly string[]): void {
  const has = (name: string) => betas.some((beta) => beta.startsWith(`${name}-20`))
  if (request.context_management && !has('context-management'))
    refuse('context_management: Extra inputs are not permitted')
  const controlled = request.messages.findIndex((message) => 'output_config' in message)
  if (controlled >= 0 && !has('per-turn-control'))
    refuse(`messages.${controlled}.output_config: Extra inputs are not permitted`)
}

/** Newer models take instructions in the middle of a conversation, after what the user says. */
function checkSystemMessages({ messages }: MessagesRequest, model: Model): void {
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'system') continue
    if (!model.takesSystemMessages)
      refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`)
    if (messages[index - 1]?.role !== 'user')
      refuse(`[fake] messages.${index}: a system message does not follow a message of the user`)
  }
}

function checkSettings(request: MessagesRequest, model: Model): void {
  const { max_tokens, thinking, temperature, top_k, top_p, tool_choice } = request
  if (max_tokens > model.maxOutputTokens)
    refuse(
      `max_tokens: ${max_tokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    )
  if (thinking?.type === 'enabled') {
    if (model.thinksAlways)
      refuse(
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      )
    if (thinking.budget_tokens >= max_tokens)
      refuse('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  if (thinking?.type === 'disabled' && model.thinksAlways)
    refuse('"thinking.type.disabled" is not supported for this model.')
  const sampling = Object.entries({ temperature, top_p, top_k }).find(
    ([, value]) => value !== undefined,
  )
  if (sampling && model.refusesSampling) refuse(`\`${sampling[0]}\` is deprecated for this model.`)
  const isForced = tool_choice?.type === 'any' || tool_choice?.type === 'tool'
  if (isForced && isThinking(request, model))
    refuse('Thinking may not be enabled when tool_choice forces tool use.')
}

export function isThinking({ thinking }: MessagesRequest, model: Model): boolean {
  return model.thinksAlways || (thinking !== undefined && thinking.type !== 'disabled')
}

function checkTools({ tools = [], tool_choice }: MessagesRequest): void {
  const problem = findToolProblem(
    tools.map(({ name, input_schema: schema }) => ({ name, schema })),
    /^[a-zA-Z0-9_-]{1,128}$/,
  )
  if (problem?.kind === 'name')
    refuse(
      `tools.${problem.index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
    )
  if (problem?.kind === 'duplicate') refuse('tools: Tool names must be unique.')
  if (problem?.kind === 'schema')
    refuse(
      `tools.${problem.index}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). ${problem.why}`,
    )
  if (tool_choice && tools.length === 0)
    refuse('tool_choice: tool_choice may only be specified while providing tools')
  if (tool_choice?.type === 'tool' && !tools.some(({ name }) => name === tool_choice.name))
    refuse(`Tool '${tool_choice.name}' not found in provided tools`)
}

function checkCacheControl(request: MessagesRequest): void {
  const { tools = [], system = [], messages, cache_control: whole } = request
  const marked = [
    ...tools,
    ...system,
    ...messages.flatMap(({ content }) => content.flatMap((block) => [...nestedIn(block), block])),
    { cache_control: whole },
  ].flatMap((block) =>
    'cache_control' in block && block.cache_control ? [block.cache_control] : [],
  )
  if (marked.length > breakpointsMax)
    refuse(
      `A maximum of ${breakpointsMax} blocks with cache_control may be provided. Found ${marked.length}.`,
    )
  const short = marked.findIndex(({ ttl }) => ttl !== '1h')
  if (short >= 0 && marked.slice(short).some(({ ttl }) => ttl === '1h'))
    refuse("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
}

const nestedIn = (block: MessageBlock) =>
  block.type === 'tool_result' ? (block.content ?? []) : []

/** Consecutive messages of one role form one turn. */
function mergeTurns({ messages }: MessagesRequest): MessageTurn[] {
  const turns: MessageTurn[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...content)
    else turns.push({ role, blocks: [...content], index })
  }
  return turns
}

function checkContent({ messages, system = [] }: MessagesRequest): void {
  if (messages[0]?.role !== 'user') refuse('messages: first message must use the "user" role')
  if (system.some(({ text }) => text === ''))
    refuse('system: text content blocks must be non-empty')
  for (const [index, { role, content }] of messages.entries()) {
    const isFinal = role === 'assistant' && index === messages.length - 1
    if (content.length === 0 && !isFinal)
      refuse(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      )
    const wrong = content.find(({ type }) => !allowed[role].includes(type))
    if (wrong)
      refuse(
        `messages.${index}: \`${wrong.type}\` blocks are not permitted in \`${role}\` messages`,
      )
    const texts = content.flatMap((block) => [block, ...nestedIn(block)])
    if (texts.some((block) => block.type === 'text' && block.text === ''))
      refuse('messages: text content blocks must be non-empty')
    if (texts.some((block) => block.type === 'text' && block.text.trim() === ''))
      refuse('messages: text content blocks must contain non-whitespace text')
  }
}

const allowed: Record<'user' | 'assistant' | 'system', readonly MessageBlock['type'][]> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'tool_use', 'thinking', 'redacted_thinking'],
  system: ['text'],
}

function checkCalls(turns: MessageTurn[]): void {
  const seen = new Set<string>()
  for (const [at, { role, blocks, index }] of turns.entries()) {
    const before = turns[at - 1]
    const after = turns[at + 1]
    if (role === 'assistant') {
      const ids = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
      for (const id of ids) {
        if (seen.has(id)) refuse(`messages.${index}: \`tool_use\` ids must be unique`)
        seen.add(id)
      }
      // Results must come first in the next message; text before them is an error.
      const results = leadingResults(after)
      const open = ids.filter((id) => !results.includes(id))
      if (open.length > 0)
        refuse(
          `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        )
      continue
    }
    const calls = (before?.blocks ?? []).flatMap((b) => (b.type === 'tool_use' ? [b.id] : []))
    const results = blocks.flatMap((b) => (b.type === 'tool_result' ? [b.tool_use_id] : []))
    const orphan = results.find((id) => !calls.includes(id))
    if (orphan !== undefined)
      refuse(
        `messages.${index}.content.${blocks.findIndex((b) => b.type === 'tool_result' && b.tool_use_id === orphan)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    const twice = results.find((id, i) => results.indexOf(id) !== i)
    if (twice !== undefined)
      refuse(
        `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
      )
  }
}

function leadingResults(turn: MessageTurn | undefined): string[] {
  const blocks = turn?.blocks ?? []
  const end = blocks.findIndex(({ type }) => type !== 'tool_result')
  return blocks
    .slice(0, end < 0 ? undefined : end)
    .flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
}

function checkIssued(request: MessagesRequest, turns: MessageTurn[], issued: IssuedRegistry): void {
  for (const { blocks, index } of turns)
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'thinking' && issued.signed(block.signature) !== block.thinking)
        refuse(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`)
      if (block.type === 'redacted_thinking' && issued.signed(block.data) === undefined)
        refuse(`messages.${index}.content.${at}: Invalid \`data\` in \`redacted_thinking\` block`)
      if (block.type === 'tool_use') issued.checkCall(block.id, block.name, block.input)
    }
  checkThinkingOfCurrentTurn(request, turns, issued)
}

/** After the last prompt, calls must be sent back with the thinking before them. */
function checkThinkingOfCurrentTurn(
  { model, thinking }: MessagesRequest,
  turns: MessageTurn[],
  issued: IssuedRegistry,
): void {
  const lastPrompt = turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks[0]?.type !== 'tool_result',
  )
  const current = turns.slice(lastPrompt + 1).filter(({ role }) => role === 'assistant')
  const last = current.at(-1)
  const first = last?.blocks[0]?.type
  const isCalling = last?.blocks.some(({ type }) => type === 'tool_use')
  const startsThinking = first === 'thinking' || first === 'redacted_thinking'
  if (last && isCalling && thinking?.type === 'enabled' && !startsThinking)
    refuse(
      `messages.${last.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    )
  for (const { blocks } of current) {
    const tokens = blocks.flatMap((block) =>
      'signature' in block ? [block.signature] : 'data' in block ? [block.data] : [],
    )
    for (const block of blocks)
      if (block.type === 'tool_use') issued.checkReasoning(block.id, model, tokens)
  }
}
