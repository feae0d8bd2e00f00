/** The OpenAI Responses API. */
import { errorBody } from '../errors.ts'
import { readOpenaiCache } from '../openai-cache.ts'
import { Refusal } from '../refusal.ts'
import type { Part } from '../script.ts'
import { deltasOf, tokensOf } from '../tokens.ts'
import type { Rendered, WireDriver } from '../wire.ts'
import { checkResponsesRequest } from './checks.ts'
import { parseResponsesRequest, type ResponsesItem, type ResponsesRequest } from './request.ts'

const sse = (event: { type: string; [key: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** The response object of a request that fails validation after streaming has started. */
const unknownResponse = {
  id: 'resp_failed',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'in_progress',
  model: 'unknown',
  output: [],
  error: null,
  usage: null,
}

export const responsesDriver: WireDriver = {
  brokenEvent:
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_\n\n',
  errorEvent: (error) =>
    sse({ type: 'error', sequence_number: 9999, ...errorBody('responses', error) }),
  opening: ['response.created', 'response.in_progress']
    .map((type, sequence_number) => sse({ type, sequence_number, response: unknownResponse }))
    .join(''),

  read(body, { models, issued, cache }) {
    const request = parseResponsesRequest(body)
    const model = models.find('responses', request.model) ?? refuseModel(request.model)
    const items = checkResponsesRequest(request, model, issued)
    const isStored = request.store !== false
    const encrypts = request.include?.includes('reasoning.encrypted_content') ?? false

    return {
      model,
      stream: request.stream ?? false,
      userTexts: userTextsOf(items),
      render({ parts, stop, interleaved }): Rendered {
        const outputs = parts
          .filter(({ type }) => type !== 'reasoning' || request.reasoning?.effort !== 'none')
          .map((part, index) => renderItem(part, index))
        const reasoning: string[] = []
        for (const { item, token } of outputs) {
          if (isStored) issued.store(String(item.id), item)
          if (token) reasoning.push(token)
          if (item.type !== 'function_call') continue
          issued.issueCall(String(item.call_id), {
            name: [item.namespace, item.name].filter(Boolean).join('.'),
            input: String(item.arguments),
            model: model.id,
            reasoning: [...reasoning],
          })
        }
        return assemble(outputs, { stop, interleaved })
      },
    }

    function renderItem(part: Part, output_index: number): OutputItem {
      if (part.type === 'reasoning') return renderReasoning(part.text, output_index)
      if (part.type === 'call') return renderCall(part, output_index)
      return renderMessage(part.text, output_index)
    }

    function renderMessage(text: string, output_index: number): OutputItem {
      const id = issued.newId('msg_')
      const at = { item_id: id, output_index, content_index: 0 }
      const whole = { type: 'output_text', text, annotations: [], logprobs: [] }
      const base = { id, type: 'message', role: 'assistant' }
      return {
        tokens: tokensOf(text),
        item: { ...base, status: 'completed', content: [whole] },
        opening: [
          {
            type: 'response.output_item.added',
            output_index,
            item: { ...base, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...at, part: { ...whole, text: '' } },
        ],
        deltas: deltasOf(text).map((delta) => ({
          type: 'response.output_text.delta',
          ...at,
          delta,
          logprobs: [],
        })),
        closing: [
          { type: 'response.output_text.done', ...at, text, logprobs: [] },
          { type: 'response.content_part.done', ...at, part: whole },
        ],
      }
    }

    /** Sends a summary part per paragraph if the request asks for a summary; never the reasoning itself. */
    function renderReasoning(text: string, output_index: number): OutputItem {
      const id = issued.newId('rs_')
      const paragraphs = request.reasoning?.summary ? text.split('\n\n') : []
      const token = encrypts ? issued.sign(id, 'gAAAAA') : undefined
      const base = { id, type: 'reasoning' }
      const deltas = paragraphs.flatMap((paragraph, summary_index) => {
        const at = { item_id: id, output_index, summary_index }
        const part = { type: 'summary_text', text: paragraph }
        return [
          { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
          ...deltasOf(paragraph).map((delta) => ({
            type: 'response.reasoning_summary_text.delta',
            ...at,
            delta,
          })),
          { type: 'response.reasoning_summary_text.done', ...at, text: paragraph },
          { type: 'response.reasoning_summary_part.done', ...at, part },
        ]
      })
      // The service sends preliminary content when it adds the item; only the final content is valid.
      const partial = encrypts ? { encrypted_content: 'gAAAAApartial' } : {}
      return {
        tokens: tokensOf(text),
        token,
        item: {
          ...base,
          summary: paragraphs.map((paragraph) => ({ type: 'summary_text', text: paragraph })),
          ...(token && { encrypted_content: token }),
        },
        opening: [
          {
            type: 'response.output_item.added',
            output_index,
            item: { ...base, summary: [], ...partial },
          },
        ],
        deltas,
        closing: [],
      }
    }

    function renderCall(part: Extract<Part, { type: 'call' }>, output_index: number): OutputItem {
      const id = issued.newId('fc_')
      const text = typeof part.input === 'string' ? part.input : JSON.stringify(part.input)
      const base = {
        id,
        type: 'function_call',
        call_id: part.id ?? issued.newId('call_'),
        ...nameOf(part.name),
      }
      const at = { item_id: id, output_index }
      return {
        tokens: tokensOf(text + part.name),
        item: { ...base, status: 'completed', arguments: text },
        opening: [
          {
            type: 'response.output_item.added',
            output_index,
            item: { ...base, status: 'in_progress', arguments: '' },
          },
        ],
        deltas: deltasOf(text).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          ...at,
          delta,
        })),
        closing: [{ type: 'response.function_call_arguments.done', ...at, arguments: text }],
      }
    }

    /** `namespace.tool` where the request has such a namespace. */
    function nameOf(name: string): { name: string; namespace?: string } {
      const [namespace = '', ...rest] = name.split('.')
      const isNamespace = request.tools?.some(
        (tool) => tool.type === 'namespace' && tool.name === namespace,
      )
      return isNamespace ? { name: rest.join('.'), namespace } : { name }
    }

    function assemble(
      outputs: OutputItem[],
      { stop, interleaved }: { stop: string | undefined; interleaved: boolean },
    ): Rendered {
      const isRefused = stop === 'refusal'
      const isCut = stop !== undefined && !isRefused
      const details = isCut
        ? { reason: 'max_output_tokens' }
        : isRefused
          ? { reason: 'content_filter' }
          : null
      const status = details ? 'incomplete' : 'completed'
      const output = outputs.map(({ item }) => item)
      const response = {
        id: issued.newId('resp_'),
        object: 'response',
        created_at: 1_790_000_000,
        status: 'in_progress',
        model: request.model,
        output: [] as object[],
        error: null,
        incomplete_details: null as object | null,
        usage: null as object | null,
        store: isStored,
        parallel_tool_calls: true,
        service_tier: 'default',
      }
      const done = {
        ...response,
        status,
        output,
        incomplete_details: details,
        usage: usageOf(outputs),
      }
      const events = [
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
        ...streamOf(outputs, interleaved),
        { type: `response.${status}`, response: done },
      ]
      return {
        events: events.map((event, sequence_number) => ({
          text: sse({ ...event, sequence_number }),
          isContent: event.type.endsWith('.delta'),
        })),
        body: done,
      }
    }

    function usageOf(outputs: OutputItem[]) {
      const segments = segmentsOf(request, items)
      const input_tokens = segments.reduce((sum, segment) => sum + tokensOf(segment), 0)
      const output_tokens = outputs.reduce((sum, { tokens }) => sum + tokens, 0)
      const reasoning_tokens = outputs
        .filter(({ item }) => item.type === 'reasoning')
        .reduce((sum, { tokens }) => sum + tokens, 0)
      return {
        input_tokens,
        input_tokens_details: readOpenaiCache(cache, request, model, segments),
        output_tokens,
        output_tokens_details: { reasoning_tokens },
        total_tokens: input_tokens + output_tokens,
      }
    }
  },
}

function refuseModel(id: string): never {
  throw new Refusal(404, `The model '${id}' does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  })
}

interface StreamEvent {
  type: string
  [key: string]: unknown
}

interface OutputItem {
  tokens: number
  /** The encrypted content of a reasoning item. */
  token?: string | undefined
  /** The completed item. */
  item: Record<string, unknown>
  opening: StreamEvent[]
  deltas: StreamEvent[]
  closing: StreamEvent[]
}

/** Streams one item after the other. Interleaved calls alternate their argument deltas. */
function streamOf(outputs: OutputItem[], interleaved: boolean): StreamEvent[] {
  const close = (output: OutputItem): StreamEvent[] => {
    const output_index = outputs.indexOf(output)
    const done = { type: 'response.output_item.done', output_index, item: output.item }
    return [...output.closing, done]
  }
  const isCall = ({ item }: OutputItem) => item.type === 'function_call'
  const apart = outputs.filter((output) => interleaved && isCall(output))
  const inOrder = outputs.filter((output) => !apart.includes(output))
  const rounds = Math.max(0, ...apart.map(({ deltas }) => deltas.length))
  return [
    ...inOrder.flatMap((output) => [...output.opening, ...output.deltas, ...close(output)]),
    ...apart.flatMap(({ opening }) => opening),
    ...Array.from({ length: rounds }, (_, round) =>
      apart.flatMap(({ deltas }) => deltas.slice(round, round + 1)),
    ).flat(),
    ...apart.flatMap(close),
  ]
}

function userTextsOf(items: ResponsesItem[]): string[] {
  return items.flatMap((item) => {
    if (item.type !== 'message' || item.role !== 'user') return []
    if (typeof item.content === 'string') return [item.content]
    return [item.content.map((part) => ('text' in part ? part.text : '')).join('\n')]
  })
}

function segmentsOf({ tools = [], instructions }: ResponsesRequest, items: ResponsesItem[]) {
  return [...tools, ...(instructions ? [instructions] : []), ...items].map((segment) =>
    JSON.stringify(segment),
  )
}
