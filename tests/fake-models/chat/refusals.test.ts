import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeModels, startFakeModels } from '../fake-models.ts'
import { errorMessageIn, post } from '../raw-requests.ts'
import { call, say, think } from '../script.ts'

const model = 'deepseek-reasoner'
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown, more = {}) => ({ role: 'assistant', content, ...more })
const calls = (...ids: string[]) =>
  assistant(null, {
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: '{}' },
    })),
  })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const base = { model, messages: [user('Hello')] }
const conversation = (...messages: unknown[]) => ({
  ...base,
  messages: [user('Hello'), ...messages],
})
const tool = (more = {}) => ({
  type: 'function',
  function: { name: 'read', parameters: { type: 'object' }, ...more },
})

interface Said {
  reasoning_content: string
  tool_calls: { id: string; function: { name: string; arguments: string } }[]
}
let fake: FakeModels
let said: Said
let results: object[]

beforeAll(async () => {
  fake = await startFakeModels({
    script: ({ turn }) =>
      turn === 0
        ? [think('Hm.'), call('read', { path: 'a' }), call('read', { path: 'b' })]
        : [say('Yes.')],
    models: [{ id: 'small', wires: ['chat'], contextChars: 1000, maxOutputTokens: 100_000 }],
  })
  said = (await post(fake, 'chat', base)).body.choices[0].message
  results = said.tool_calls.map(({ id }) => result(id))
})
afterAll(() => fake.stop())

const withCall = (more: object) => ({
  ...said,
  tool_calls: said.tool_calls.map((c) => ({ ...c, function: { ...c.function, ...more } })),
})

describe('the chat wire accepts', () => {
  it.each<[string, () => object]>([
    ['a prompt', () => base],
    [
      'a system prompt',
      () => ({ ...base, messages: [{ role: 'system', content: 'Be brief.' }, user('Hello')] }),
    ],
    ['calls with their results', () => conversation(calls('a', 'b'), result('b'), result('a'))],
    ['what it issued', () => conversation(said, ...results)],
    [
      'earlier turns without their reasoning',
      () =>
        conversation(
          { ...said, reasoning_content: undefined },
          ...results,
          assistant('Hi'),
          user('Bye'),
        ),
    ],
    ['calls of another model without reasoning', () => conversation(calls('a'), result('a'))],
  ])('%s', async (_, body) => {
    expect(await post(fake, 'chat', body())).toMatchObject({ status: 200 })
  })
})

describe('the chat wire refuses', () => {
  it.each<[string, () => object, string]>([
    [
      'an unknown model',
      () => ({ ...base, model: 'gpt-9' }),
      '404 The model `gpt-9` does not exist',
    ],
    ['missing messages', () => ({ model }), "400 Missing required parameter: 'messages'."],
    [
      'a parameter of another type',
      () => ({ ...base, stream: 'yes' }),
      "400 Invalid type for 'stream'",
    ],
    [
      'a parameter of an unknown value',
      () => ({ ...base, reasoning_effort: 'huge' }),
      "400 Invalid value for 'reasoning_effort'",
    ],
    [
      'an unknown parameter',
      () => ({ ...base, thinking: {} }),
      "400 Unknown parameter: 'thinking'.",
    ],
    [
      'an unknown key of a message',
      () => conversation(assistant('Hi', { reasoning: 'x' })),
      "400 Unknown parameter: 'messages[1].reasoning'.",
    ],
    [
      'max_tokens on a newer model of OpenAI',
      () => ({ ...base, model: 'gpt-5.2', max_tokens: 10 }),
      "400 Unsupported parameter: 'max_tokens'",
    ],
    [
      'options of a stream where there is none',
      () => ({ ...base, stream_options: { include_usage: true } }),
      "400 The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ],
    [
      'a first message of the assistant',
      () => ({ ...base, messages: [assistant('Hi')] }),
      "400 [fake] the first message is not the user's",
    ],
    [
      'an empty assistant turn',
      () => conversation(assistant(''), user('Bye')),
      '400 Invalid assistant message: content or tool_calls must be set',
    ],
    [
      'a turn of nothing but reasoning',
      () => conversation(assistant('', { reasoning_content: 'Hm.' }), user('Bye')),
      '400 Invalid assistant message: content or tool_calls must be set',
    ],
    [
      'an empty prompt',
      () => conversation(user('')),
      '400 [fake] messages[1].content of the user is empty',
    ],
    [
      'an empty list of calls',
      () => conversation(assistant('Hi', { tool_calls: [] })),
      "400 Invalid 'messages[1].tool_calls': empty array.",
    ],
    [
      'a call without a result',
      () => conversation(calls('a', 'b'), result('a'), user('Bye')),
      "400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
    ],
    [
      'a call at the end',
      () => conversation(calls('a')),
      "400 An assistant message with 'tool_calls' must be followed",
    ],
    [
      'a late result',
      () => conversation(calls('a'), user('No'), result('a')),
      "400 An assistant message with 'tool_calls' must be followed",
    ],
    [
      'a result without its call',
      () => conversation(result('a')),
      "400 Invalid parameter: messages with role 'tool' must be a response",
    ],
    [
      'two results of a call',
      () => conversation(calls('a'), result('a'), result('a')),
      "400 Invalid parameter: messages with role 'tool' must be a response",
    ],
    [
      'an id that was used before',
      () => conversation(calls('a'), result('a'), calls('a'), result('a')),
      "400 Duplicate value for 'tool_call_id' of 'a' in message[3].",
    ],
    [
      'arguments that are no JSON',
      () => conversation(withCall({ arguments: '{"path"' }), ...results),
      "400 Invalid 'messages[1].tool_calls[0].function.arguments'",
    ],
    [
      'another name of a call',
      () => conversation(withCall({ name: 'write' }), ...results),
      '400 [fake] call call_',
    ],
    [
      'another input of a call',
      () => conversation(withCall({ arguments: '{"path":"c"}' }), ...results),
      '400 [fake] the input of call call_',
    ],
    [
      'calls without the reasoning before them',
      () => conversation({ ...said, reasoning_content: undefined }, ...results),
      '400 Missing `reasoning_content` field in the assistant message at message index 1.',
    ],
    [
      'calls with other reasoning',
      () => conversation({ ...said, reasoning_content: 'Ha.' }, ...results),
      '400 [fake] call call_',
    ],
    [
      'a tool with a bad name',
      () => ({ ...base, tools: [tool({ name: 'read file' })] }),
      "400 Invalid 'tools[0].function.name': string does not match pattern.",
    ],
    [
      'two tools of one name',
      () => ({ ...base, tools: [tool(), tool()] }),
      "400 Duplicate tool name: 'read'.",
    ],
    [
      'a schema with a broken list',
      () => ({ ...base, tools: [tool({ parameters: { type: 'object', required: 'a' } })] }),
      "400 Invalid schema for function 'read': In context=(), /required is not a list of names",
    ],
    [
      'a prompt over the context window',
      () => ({ model: 'small', messages: [user('word '.repeat(300))] }),
      "400 This model's maximum context length is 250 tokens.",
    ],
  ])('%s', async (_, body, expected) => {
    const before = fake.refused.length
    const answer = await post(fake, 'chat', body())
    const message = errorMessageIn('chat', answer.body)
    expect(`${answer.status} ${message}`.slice(0, expected.length)).toBe(expected)
    expect(fake.refused.slice(before)).toMatchObject([{ status: answer.status, message }])
  })
})
