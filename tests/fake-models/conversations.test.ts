import { jsonSchema, type ModelMessage, streamText, type TextStreamPart, tool } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { type FakeModels, startFakeModels } from './fake-models.ts'
import { providerModel, usualModels } from './provider-models.ts'
import { call, type Script, say, think } from './script.ts'
import type { Wire } from './wire.ts'

const wires: Wire[] = ['anthropic', 'responses', 'chat', 'google']
const read = tool({
  description: 'Reads a file.',
  inputSchema: jsonSchema<{ path: string }>({
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  }),
})
const tools = { read }

let fake: FakeModels
afterEach(async () => {
  await fake.stop()
  expect(fake.refused).toEqual([])
})

async function start(script: Script): Promise<void> {
  fake = await startFakeModels({ script })
}

async function ask(wire: Wire, messages: ModelMessage[], more: object = {}) {
  const result = streamText({
    model: providerModel(fake, wire),
    messages,
    tools,
    maxRetries: 0,
    providerOptions: usualModels[wire].providerOptions,
    ...more,
  })
  const parts: TextStreamPart<typeof tools>[] = []
  for await (const part of result.stream) parts.push(part)
  // As a journal keeps it.
  const answer: ModelMessage[] = JSON.parse(JSON.stringify(await result.responseMessages))
  return { parts, answer, messages: [...messages, ...answer], usage: await result.usage }
}

const user = (text: string): ModelMessage => ({ role: 'user', content: text })
const textOf = (parts: TextStreamPart<typeof tools>[], type: 'text-delta' | 'reasoning-delta') =>
  parts.map((part) => (part.type === type ? part.text : '')).join('')

describe.each(wires)('a conversation on the %s wire', (wire) => {
  it('streams text', async () => {
    await start([[say('Grüße, 👋🏽 world. '.repeat(9))]])
    const { parts } = await ask(wire, [user('Hello')])
    expect(textOf(parts, 'text-delta')).toBe('Grüße, 👋🏽 world. '.repeat(9))
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    expect(fake.requests).toMatchObject([{ wire, conversation: 'main', turn: 0, status: 200 }])
  })

  it('calls tools at the same time and takes their results, reasoning handed back', async () => {
    await start([
      [
        think('I need both files.'),
        say('I read them.'),
        call('read', { path: 'a' }),
        call('read', { path: 'b' }),
      ],
      [think('Now I know.'), say('Both are empty.')],
      [say('You are welcome.')],
    ])
    const first = await ask(wire, [user('What is in a and b?')])
    expect(textOf(first.parts, 'reasoning-delta')).toBe('I need both files.')
    const calls = first.parts.filter((part) => part.type === 'tool-call')
    expect(calls.map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
    const results: ModelMessage = {
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: '(empty)' },
      })),
    }
    const second = await ask(wire, [...first.messages, results])
    expect(textOf(second.parts, 'text-delta')).toBe('Both are empty.')
    const third = await ask(wire, [...second.messages, user('Thanks')])
    expect(textOf(third.parts, 'text-delta')).toBe('You are welcome.')
    expect(fake.unused()).toEqual({})
  })
})
