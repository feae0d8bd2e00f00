import { generateText, type ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { tools, user } from './ask.ts'
import { type FakeModels, startFakeModels } from './fake-models.ts'
import type { Wire } from './models.ts'
import { providerModel, usualModels } from './provider-models.ts'
import { post } from './raw-requests.ts'
import { call, say, type Turn, think } from './script.ts'

const wires: Wire[] = ['anthropic', 'responses', 'chat', 'google']

let fake: FakeModels
afterEach(() => fake.stop())

const answer = [
  ...[think('Hm.'), say('I read.')],
  ...[call('read', { path: 'a' }), call('read', { path: 'b' })],
]

async function streamed(wire: Wire, body: object, turn: Turn = answer) {
  fake = await startFakeModels({ script: [turn] })
  const path = `/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse`
  const { text, headers } = await post(fake, wire, body, wire === 'google' ? { path } : {})
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
  return text
}

/** The name (if any) and the parsed data of each event; data is null for `[DONE]`. */
function eventsIn(text: string) {
  expect(text.endsWith('\n\n')).toBe(true)
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((event) => {
      const [, name, data = ''] = /^(?:event: (.*)\n)?data: (.*)$/.exec(event) ?? []
      return { name, data: data === '[DONE]' ? null : JSON.parse(data) }
    })
}

const thinking = { type: 'adaptive', display: 'summarized' }
const anthropic = {
  model: 'claude-opus-5-5',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'Hello' }],
}

describe('the Messages API', () => {
  it('streams block after block, each with its deltas', async () => {
    const events = eventsIn(await streamed('anthropic', { ...anthropic, thinking }))
    expect(events.every(({ name, data }) => name === data.type)).toBe(true)
    expect(
      events.map(({ data: { type, index, delta, content_block: block } }) =>
        [type, index, block?.type ?? delta?.type].filter((of) => of !== undefined).join(' '),
      ),
    ).toEqual([
      'message_start',
      'content_block_start 0 thinking',
      'ping',
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_stop 1',
      ...[2, 3].flatMap((index) => [
        `content_block_start ${index} tool_use`,
        `content_block_delta ${index} input_json_delta`,
        `content_block_delta ${index} input_json_delta`,
        `content_block_stop ${index}`,
      ]),
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  it('hides thinking unless it is asked for, and signs it', async () => {
    const text = await streamed('anthropic', anthropic)
    expect(text).not.toContain('Hm.')
    expect(text).toContain('"type":"signature_delta"')
  })

  it('does not think where a model was not told to', async () => {
    const text = await streamed('anthropic', { ...anthropic, model: 'claude-sonnet-4-5' })
    expect(text).not.toContain('thinking"')
  })
})

describe('the Responses API', () => {
  const body = { model: 'gpt-6.1-sol', input: 'Hello', stream: true }

  it('numbers its events and opens and closes each item', async () => {
    const events = eventsIn(
      await streamed('responses', { ...body, reasoning: { summary: 'auto' } }),
    )
    expect(events.every(({ name, data }) => name === data.type)).toBe(true)
    expect(events.map(({ data }) => data.sequence_number)).toEqual([...events.keys()])
    const item = (output_index: number, ...types: string[]) => [
      `output_item.added ${output_index}`,
      ...types.map((type) => `${type} ${output_index}`),
      `output_item.done ${output_index}`,
    ]
    const call = ['function_call_arguments.delta', 'function_call_arguments.done']
    expect(
      events.map(({ data: { type, output_index: index } }) =>
        [String(type).replace('response.', ''), index].join(' ').trim(),
      ),
    ).toEqual([
      'created',
      'in_progress',
      ...item(
        0,
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
      ),
      ...item(
        1,
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
      ),
      ...item(2, ...call),
      ...item(3, ...call),
      'completed',
    ])
  })

  it('streams arguments in turns', async () => {
    const long = { text: 'x'.repeat(40) }
    const turn = { parts: [call('a', long), call('b', long)], interleaved: true }
    const events = eventsIn(await streamed('responses', body, turn))
    const deltas = events.filter(({ name }) => name === 'response.function_call_arguments.delta')
    expect(deltas.map(({ data }) => data.output_index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
  })

  it('finds out that a prompt is too long when the stream has begun', async () => {
    fake = await startFakeModels({
      script: [],
      models: [{ id: 'small', wires: ['responses'], contextChars: 50, maxOutputTokens: 1000 }],
    })
    const answer = await post(fake, 'responses', { ...body, model: 'small' })
    expect(answer.status).toBe(200)
    expect(eventsIn(answer.text).map(({ name }) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
    ])
    expect(fake.requests).toMatchObject([{ status: 200, turn: null }])
    expect(fake.refused).toMatchObject([{ wire: 'responses', status: 400 }])
  })

  it('shows no reasoning unless it is asked for', async () => {
    const text = await streamed('responses', body)
    expect(text).not.toContain('Hm.')
    expect(text).not.toContain('encrypted_content')
    expect(text).toContain('"type":"reasoning"')
  })
})

describe('the chat wire', () => {
  const body = {
    model: 'qwen3-coder',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  }
  const deltasIn = (text: string) =>
    eventsIn(text)
      .slice(0, -1)
      .map(({ data }) => data.choices?.[0]?.delta)

  it('streams deltas, then the reason to finish, then that it is done', async () => {
    const text = await streamed('chat', body)
    const calls = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] })
    expect(deltasIn(text)).toMatchObject([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm.' },
      { content: 'I read.' },
      calls(0, { type: 'function', function: { name: 'read', arguments: '' } }),
      calls(0, { function: { arguments: '{"path":"a"}' } }),
      calls(1, { type: 'function', function: { name: 'read', arguments: '' } }),
      calls(1, { function: { arguments: '{"path":"b"}' } }),
      {},
    ])
    expect(text).toMatch(/"finish_reason":"tool_calls"\}\]\}\n\ndata: \[DONE\]\n\n$/)
    expect(text).not.toContain('usage')
  })

  it('reports usage in an event of its own where it is asked to', async () => {
    const events = eventsIn(
      await streamed('chat', { ...body, stream_options: { include_usage: true } }),
    )
    expect(events.at(-2)?.data).toMatchObject({ choices: [], usage: { completion_tokens: 11 } })
    expect(events.slice(0, -2).every(({ data }) => data.usage === null)).toBe(true)
  })

  it('streams calls in turns', async () => {
    const long = { text: 'x'.repeat(40) }
    const turn = { parts: [call('a', long), call('b', long)], interleaved: true }
    const indexes = deltasIn(await streamed('chat', body, turn)).flatMap(
      (delta: { tool_calls?: { index: number }[] }) => delta.tool_calls?.[0]?.index ?? [],
    )
    expect(indexes).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
  })
})

describe('Gemini', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
  const partsIn = (text: string) =>
    eventsIn(text.replaceAll('\r\n', '\n')).map(
      ({ data }) => data.candidates?.[0]?.content?.parts?.[0],
    )

  it('ends its lines with CR LF and signs the first call', async () => {
    const text = await streamed('google', {
      contents,
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    })
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(partsIn(text)).toEqual([
      { text: 'Hm.', thought: true },
      { text: 'I read.' },
      {
        functionCall: { id: expect.any(String), name: 'read', args: { path: 'a' } },
        thoughtSignature: expect.any(String),
      },
      { functionCall: { id: expect.any(String), name: 'read', args: { path: 'b' } } },
      undefined,
    ])
    expect(text).toMatch(/"finishReason":"STOP"[^\n]*\r\n\r\n$/)
  })

  it('signs a text at its end, and shows no thoughts unless it is asked for', async () => {
    const text = await streamed('google', { contents }, [think('Hm.'), say('Hi.')])
    expect(partsIn(text).slice(0, 2)).toMatchObject([
      { text: 'Hi.' },
      { text: '', thoughtSignature: expect.any(String) },
    ])
  })
})

it.each(wires)('an answer may come whole on the %s wire', async (wire) => {
  fake = await startFakeModels({ script: [answer, [say('Done.')]] })
  const ask = (messages: ModelMessage[]) =>
    generateText({
      model: providerModel(fake, wire),
      messages,
      tools,
      maxRetries: 0,
      providerOptions: usualModels[wire].providerOptions,
    })
  const first = await ask([user('Hello')])
  expect(first).toMatchObject({ text: 'I read.', reasoningText: 'Hm.', finishReason: 'tool-calls' })
  expect(first.toolCalls.map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
  const content = first.toolCalls.map(({ toolCallId, toolName }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'text' as const, value: 'ok' },
  }))
  const messages: ModelMessage[] = [
    user('Hello'),
    ...first.responseMessages,
    { role: 'tool', content },
  ]
  expect((await ask(messages)).text).toBe('Done.')
  expect(fake.refused).toEqual([])
})
