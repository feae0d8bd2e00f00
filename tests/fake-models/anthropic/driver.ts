/** The Anthropic Messages API. */
import { errorBody } from '../errors.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Part, Stop } from '../script.ts'
import { deltasOf, tokensOf } from '../tokens.ts'
import type { Rendered, WireDriver } from '../wire.ts'
import { checkMessagesRequest, isThinking } from './checks.ts'
import { type MessagesRequest, parseMessagesRequest } from './request.ts'

const stopReasons: Record<Stop, string> = {
  length: 'max_tokens',
  refusal: 'refusal',
  'context-full': 'model_context_window_exceeded',
}

const sse = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

export const anthropicDriver: WireDriver = {
  brokenEvent:
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","te\n\n',
  errorEvent: (error) => `event: error\ndata: ${JSON.stringify(errorBody('anthropic', error))}\n\n`,
  opening: '',

  read(body, { models, issued, cache }, { betas }) {
    const request = parseMessagesRequest(body)
    const model = models.find('anthropic', request.model)
    if (!model) throw new Refusal(404, `model: ${request.model}`)
    checkMessagesRequest(request, model, issued, betas)
    if (request.messages.at(-1)?.role === 'assistant' && model.refusesPrefill)
      refuse(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      )
    return {
      model,
      stream: request.stream ?? false,
      userTexts: request.messages
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content.map((b) => (b.type === 'text' ? b.text : '')).join('\n')),
      render({ parts, stop }): Rendered {
        const showsThinking = !model.hidesThinking || displays(request, 'summarized')
        const rendered = parts
          .filter(({ type }) => type !== 'reasoning' || isThinking(request, model))
          .map((part) => renderPart(part, showsThinking))
        const reasoning: string[] = []
        for (const { content, input } of rendered) {
          if (content.type === 'thinking') reasoning.push(content.signature)
          if (content.type === 'redacted_thinking') reasoning.push(content.data)
          if (content.type !== 'tool_use') continue
          const { id, name } = content
          issued.issueCall(id, { name, input, model: model.id, reasoning: [...reasoning] })
        }
        const calls = rendered.filter(({ content }) => content.type === 'tool_use')
        const reason = stop ? stopReasons[stop] : calls.length > 0 ? 'tool_use' : 'end_turn'
        return assemble(rendered, reason)
      },
    }

    function renderPart(part: Part, showsThinking: boolean): RenderedBlock {
      if (part.type === 'text')
        return {
          tokens: tokensOf(part.text),
          content: { type: 'text', text: part.text },
          empty: { type: 'text', text: '' },
          deltas: deltasOf(part.text).map((text) => ({ type: 'text_delta', text })),
          input: '',
        }
      if (part.type === 'reasoning' && part.redacted) {
        const content = { type: 'redacted_thinking' as const, data: issued.sign(part.text) }
        return { tokens: tokensOf(part.text), content, empty: content, deltas: [], input: '' }
      }
      if (part.type === 'reasoning') {
        const thinking = showsThinking ? part.text : ''
        const signature = issued.sign(thinking)
        return {
          tokens: tokensOf(part.text),
          content: { type: 'thinking', thinking, signature },
          empty: { type: 'thinking', thinking: '', signature: '' },
          deltas: [
            ...deltasOf(thinking).map((text) => ({ type: 'thinking_delta', thinking: text })),
            { type: 'signature_delta', signature },
          ],
          input: '',
        }
      }
      const id = part.id ?? issued.newId('toolu_')
      const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input)
      return {
        tokens: tokensOf(input + part.name),
        content: { type: 'tool_use', id, name: part.name, input: parseInput(input) },
        empty: { type: 'tool_use', id, name: part.name, input: {} },
        deltas: ['', ...deltasOf(input)].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
        input,
      }
    }

    function assemble(rendered: RenderedBlock[], stop_reason: string): Rendered {
      const { segments, marks } = segmentsOf(request)
      const { read, written } = cache.readMarked(request.model, segments, marks)
      const total = segments.reduce((sum, segment) => sum + tokensOf(segment), 0)
      const isLong = JSON.stringify(request).includes('"ttl":"1h"')
      const input = {
        input_tokens: total - read - written,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
      }
      const creation = {
        ephemeral_5m_input_tokens: isLong ? 0 : written,
        ephemeral_1h_input_tokens: isLong ? written : 0,
      }
      const thinking_tokens = rendered
        .filter(({ content: { type } }) => type === 'thinking' || type === 'redacted_thinking')
        .reduce((sum, { tokens }) => sum + tokens, 0)
      const output = {
        output_tokens: rendered.reduce((sum, { tokens }) => sum + tokens, 0),
        output_tokens_details: { thinking_tokens },
      }
      const message = {
        id: issued.newId('msg_'),
        type: 'message',
        role: 'assistant',
        model: request.model,
        stop_sequence: null,
      }
      const usage = { ...input, cache_creation: creation, service_tier: 'standard' }
      const events: Rendered['events'] = [
        {
          text: sse({
            type: 'message_start',
            ...{
              message: {
                ...message,
                content: [],
                stop_reason: null,
                usage: { ...usage, output_tokens: 1 },
              },
            },
          }),
          isContent: false,
        },
      ]
      for (const [index, { empty, deltas }] of rendered.entries()) {
        const start = { type: 'content_block_start', index, content_block: empty }
        events.push({ text: sse(start), isContent: false })
        if (index === 0) events.push({ text: sse({ type: 'ping' }), isContent: false })
        for (const delta of deltas)
          events.push({
            text: sse({ type: 'content_block_delta', ...{ index, delta } }),
            isContent: true,
          })
        events.push({ text: sse({ type: 'content_block_stop', ...{ index } }), isContent: false })
      }
      const delta = { stop_reason, stop_sequence: null }
      events.push(
        {
          text: sse({ type: 'message_delta', ...{ delta, usage: { ...input, ...output } } }),
          isContent: false,
        },
        { text: sse({ type: 'message_stop' }), isContent: false },
      )
      const content = rendered.map((block) => block.content)
      return {
        events,
        body: { ...message, content, stop_reason, usage: { ...usage, ...output } },
      }
    }
  },
}

interface RenderedBlock {
  tokens: number
  /** The complete block. */
  content:
    | { type: 'text'; text: string }
    | { type: 'thinking'; thinking: string; signature: string }
    | { type: 'redacted_thinking'; data: string }
    | { type: 'tool_use'; id: string; name: string; input: unknown }
  /** The block as sent in `content_block_start`. */
  empty: object
  deltas: object[]
  /** The input of a call as sent; empty for other blocks. */
  input: string
}

function displays({ thinking }: MessagesRequest, display: string): boolean {
  return thinking?.type === 'adaptive' && thinking.display === display
}

function parseInput(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

/** Cache segments of the prompt in caching order (tools, system, messages), and the indexes with breakpoints. */
function segmentsOf({ tools = [], system = [], messages, cache_control }: MessagesRequest) {
  const blocks = [
    ...tools.map((tool) => ({ role: 'tools', block: tool })),
    ...system.map((block) => ({ role: 'system', block })),
    ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, block }))),
  ]
  const marks = blocks.flatMap(({ block }, index) =>
    'cache_control' in block && block.cache_control ? [index] : [],
  )
  if (cache_control) marks.push(blocks.length - 1)
  const segments = blocks.map(({ role, block }) => {
    const { cache_control: _, ...rest } = { cache_control: undefined, ...block }
    return JSON.stringify([role, rest])
  })
  return { segments, marks }
}
