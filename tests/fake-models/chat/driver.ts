/** The OpenAI Chat Completions API, with the `reasoning_content` of compatible services. */
import { errorBody } from '../errors.ts'
import { readOpenaiCache } from '../openai-cache.ts'
import { Refusal } from '../refusal.ts'
import type { Part, Stop } from '../script.ts'
import { deltasOf, tokensOf } from '../tokens.ts'
import type { Rendered, WireDriver } from '../wire.ts'
import { checkChatRequest } from './checks.ts'
import { parseChatRequest, textOf } from './request.ts'

const sse = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

const finishReasons: Record<Stop, string> = {
  length: 'length',
  'context-full': 'length',
  refusal: 'content_filter',
}

interface ChatCall {
  id: string
  name: string
  text: string
}

export const chatDriver: WireDriver = {
  brokenEvent:
    'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"delta":{"conte\n\n',
  errorEvent: (error) => sse(errorBody('chat', error)),
  opening: '',

  read(body, { models, issued, cache }) {
    const request = parseChatRequest(body)
    const model = models.find('chat', request.model) ?? refuseModel(request.model)
    checkChatRequest(request, model, issued)
    return {
      model,
      stream: request.stream ?? false,
      userTexts: request.messages
        .filter(({ role }) => role === 'user')
        .map(({ content }) => textOf(content)),
      render({ parts, stop, interleaved }): Rendered {
        const isThinking = model.thinksAlways && request.reasoning_effort !== 'none'
        const thought = isThinking ? joined(parts, 'reasoning') : ''
        const reasoning = model.hidesThinking ? '' : thought
        const text = joined(parts, 'text')
        const calls = parts.flatMap((part) => (part.type === 'call' ? [render(part)] : []))
        for (const { id, name, text: input } of calls)
          issued.issueCall(id, {
            name,
            input,
            model: model.id,
            reasoning: reasoning ? [reasoning] : [],
          })
        const finish_reason = stop ? finishReasons[stop] : calls.length > 0 ? 'tool_calls' : 'stop'
        const usage = usageOf({ thought, text, calls })
        return {
          events: eventsOf({ reasoning, text, calls, interleaved, finish_reason, usage }),
          body: bodyOf({ reasoning, text, calls, finish_reason, usage }),
        }
      },
    }

    function render(part: Extract<Part, { type: 'call' }>): ChatCall {
      const text = typeof part.input === 'string' ? part.input : JSON.stringify(part.input)
      return { id: part.id ?? issued.newId('call_'), name: part.name, text }
    }

    function usageOf({
      thought,
      text,
      calls,
    }: {
      thought: string
      text: string
      calls: ChatCall[]
    }) {
      const segments = [...(request.tools ?? []), ...request.messages].map((segment) =>
        JSON.stringify(segment),
      )
      const prompt_tokens = segments.reduce((sum, segment) => sum + tokensOf(segment), 0)
      const reasoning_tokens = tokensOf(thought)
      const completion_tokens =
        reasoning_tokens +
        tokensOf(text) +
        calls.reduce((sum, { name, text: input }) => sum + tokensOf(name + input), 0)
      return {
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
        prompt_tokens_details: readOpenaiCache(cache, request, model, segments),
        completion_tokens_details: { reasoning_tokens },
      }
    }

    function eventsOf(answer: {
      reasoning: string
      text: string
      calls: ChatCall[]
      interleaved: boolean
      finish_reason: string
      usage: object
    }): Rendered['events'] {
      const base = {
        id: issued.newId('chatcmpl-'),
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: request.model,
      }
      const withUsage = request.stream_options?.include_usage ? { usage: null } : {}
      const chunk = (delta: object, finish_reason: string | null = null) =>
        sse({ ...base, choices: [{ index: 0, delta, finish_reason }], ...withUsage })
      const contents = [
        ...deltasOf(answer.reasoning).map((reasoning_content) => ({ reasoning_content })),
        ...deltasOf(answer.text).map((content) => ({ content })),
        ...callDeltas(answer.calls, answer.interleaved),
      ]
      const texts = [
        chunk({ role: 'assistant', content: '' }),
        ...contents.map((delta) => chunk(delta)),
        chunk({}, answer.finish_reason),
        ...(request.stream_options?.include_usage
          ? [sse({ ...base, choices: [], usage: answer.usage })]
          : []),
        'data: [DONE]\n\n',
      ]
      return texts.map((text, index) => ({
        text,
        isContent: index > 0 && index <= contents.length,
      }))
    }

    function bodyOf(answer: {
      reasoning: string
      text: string
      calls: ChatCall[]
      finish_reason: string
      usage: object
    }) {
      const { reasoning, text, calls, finish_reason, usage } = answer
      const tool_calls = calls.map(({ id, name, text: input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      }))
      const message = {
        role: 'assistant',
        content: text || (calls.length > 0 ? null : ''),
        ...(reasoning && { reasoning_content: reasoning }),
        ...(calls.length > 0 && { tool_calls }),
      }
      return {
        id: issued.newId('chatcmpl-'),
        object: 'chat.completion',
        created: 1_790_000_000,
        model: request.model,
        choices: [{ index: 0, message, finish_reason }],
        usage,
      }
    }
  },
}

function refuseModel(id: string): never {
  throw new Refusal(404, `The model \`${id}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  })
}

const joined = (parts: Part[], type: 'text' | 'reasoning') =>
  parts.map((part) => (part.type === type ? part.text : '')).join('')

/** The first delta of each call has its id and name. Interleaved calls alternate after that. */
function callDeltas(calls: ChatCall[], interleaved: boolean): object[] {
  const openings = calls.map(({ id, name }, index) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
  }))
  const pieces = calls.map(({ text }, index) =>
    deltasOf(text).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  )
  if (!interleaved) return openings.flatMap((opening, index) => [opening, ...(pieces[index] ?? [])])
  const rounds = Math.max(0, ...pieces.map(({ length }) => length))
  return [
    ...openings,
    ...Array.from({ length: rounds }, (_, round) =>
      pieces.flatMap((of) => of.slice(round, round + 1)),
    ).flat(),
  ]
}
