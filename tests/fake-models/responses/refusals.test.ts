import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeModels, startFakeModels } from '../fake-models.ts'
import { errorMessageIn, post } from '../raw-requests.ts'
import { call, say, think } from '../script.ts'

const model = 'gpt-6.1-sol'
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const calls = (id: string, more = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
  ...more,
})
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' })
const base = {
  model,
  store: false,
  include: ['reasoning.encrypted_content'],
  input: [user('Hello')],
}
const conversation = (...items: unknown[]) => ({ ...base, input: [user('Hello'), ...items] })
const tool = (more = {}) => ({
  type: 'function',
  name: 'read',
  parameters: { type: 'object' },
  ...more,
})

const namespace = (...tools: object[]) => ({
  type: 'namespace',
  name: 'files',
  description: 'Files.',
  tools,
})

let fake: FakeModels
/** Issued reasoning and calls; `stored` is the same answer to a request that stores it. */
let said: { reasoning: { id: string }; calls: { call_id: string }[]; outputs: object[] }
let stored: { id: string; call_id: string }[]

beforeAll(async () => {
  const reads = [think('Hm.'), call('read', { path: 'a' }), call('read', { path: 'b' })]
  fake = await startFakeModels({
    script: ({ turn }) => (turn < 2 ? reads : [say('Yes.')]),
    models: [{ id: 'small', wires: ['responses'], contextChars: 1000, maxOutputTokens: 100_000 }],
  })
  const { body } = await post(fake, 'responses', base)
  const [reasoning, ...both] = body.output
  said = {
    reasoning,
    calls: both,
    outputs: both.map((c: { call_id: string }) => output(c.call_id)),
  }
  stored = (await post(fake, 'responses', { model, input: 'Hello' })).body.output
})
afterAll(() => fake.stop())

const reference = (item: { id: string } | undefined) => ({ type: 'item_reference', id: item?.id })

describe('the Responses API accepts', () => {
  it.each<[string, () => object]>([
    ['a prompt', () => base],
    [
      'tools of one name, one of them in a namespace',
      () => ({ ...base, tools: [tool(), namespace(tool())] }),
    ],
    ['a prompt that is a string', () => ({ model, input: 'Hello' })],
    ['a conversation', () => conversation(assistant('Hi'), user('Bye'))],
    [
      'calls with their outputs',
      () => conversation(calls('a'), calls('b'), output('b'), output('a')),
    ],
    ['what it issued', () => conversation(said.reasoning, ...said.calls, ...said.outputs)],
    [
      'reasoning without its id',
      () => conversation({ ...said.reasoning, id: undefined }, ...said.calls, ...said.outputs),
    ],
    [
      'references to what it stored',
      () => ({
        model,
        input: [
          user('Hello'),
          ...stored.map(reference),
          ...stored.slice(1).map((c) => output(c.call_id)),
        ],
      }),
    ],
    [
      'a strict tool',
      () => ({
        ...base,
        tools: [
          tool({
            strict: true,
            parameters: {
              type: 'object',
              properties: { a: { type: 'string' } },
              required: ['a'],
              additionalProperties: false,
            },
          }),
        ],
      }),
    ],
  ])('%s', async (_, body) => {
    expect(await post(fake, 'responses', body())).toMatchObject({ status: 200 })
  })
})

describe('the Responses API refuses', () => {
  it.each<[string, () => object, string]>([
    [
      'an unknown model',
      () => ({ ...base, model: 'gpt-9' }),
      "404 The model 'gpt-9' does not exist",
    ],
    ['a missing input', () => ({ model }), "400 Missing required parameter: 'input'."],
    ['an empty input', () => ({ ...base, input: [] }), "400 Invalid 'input': empty array."],
    [
      'an unknown parameter',
      () => ({ ...base, max_tokens: 1 }),
      "400 Unknown parameter: 'max_tokens'.",
    ],
    [
      'an unknown key of an item',
      () => conversation({ ...assistant('Hi'), reasoning: 'x' }, user('Bye')),
      "400 Unknown parameter: 'input[1].reasoning'.",
    ],
    [
      'a first message of the assistant',
      () => ({ ...base, input: [assistant('Hi')] }),
      "400 [fake] the first message is not the user's",
    ],
    [
      'an empty assistant turn',
      () => conversation(assistant(''), user('Bye')),
      '400 [fake] input[1].content of the assistant is empty',
    ],
    [
      'an empty text',
      () => conversation(user([{ type: 'input_text', text: '' }])),
      '400 [fake] input[1].content of the user is empty',
    ],
    [
      'the text of a prompt in an answer',
      () => conversation(assistant([{ type: 'input_text', text: 'Hi' }])),
      "400 Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ],
    [
      'a call without an output',
      () => conversation(calls('a'), calls('b'), output('a')),
      '400 No tool output found for function call b.',
    ],
    [
      'an output without its call',
      () => conversation(output('a')),
      '400 No tool call found for function call output with call_id a.',
    ],
    [
      'an output before its call',
      () => conversation(output('a'), calls('a')),
      '400 No tool call found for function call output with call_id a.',
    ],
    [
      'a late output',
      () => conversation(calls('a'), user('No'), output('a')),
      '400 [fake] the output of call a does not come directly after the turn of its call',
    ],
    [
      'an answer between outputs',
      () => conversation(calls('a'), calls('b'), output('a'), assistant('Hm'), output('b')),
      '400 [fake] the output of call b does not come directly',
    ],
    [
      'two outputs of a call',
      () => conversation(calls('a'), output('a'), output('a')),
      '400 [fake] call a has more than one function_call_output',
    ],
    [
      'an id that was used before',
      () => conversation(calls('a'), output('a'), calls('a'), output('a')),
      '400 Duplicate item found with id a.',
    ],
    [
      'an item that came before',
      () => conversation(said.reasoning, said.reasoning, ...said.calls, ...said.outputs),
      '400 Duplicate item found with id rs_',
    ],
    [
      'an id of another kind of item',
      () => conversation(calls('a', { id: 'call_1' }), output('a')),
      "400 Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
    ],
    [
      'an id that is too long',
      () => conversation(calls('a'.repeat(65)), output('a'.repeat(65))),
      "400 Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64",
    ],
    [
      'a reference when nothing is stored',
      () => ({ model, input: [user('Hello'), { type: 'item_reference', id: said.reasoning.id }] }),
      `404 Item with id 'rs_`,
    ],
    [
      'reasoning of another account',
      () => conversation({ ...said.reasoning, encrypted_content: 'gAAAAAx' }, assistant('Hi')),
      '400 The encrypted content gAAAAAx... could not be verified.',
    ],
    [
      'reasoning under another id',
      () => conversation({ ...said.reasoning, id: 'rs_1' }, assistant('Hi')),
      '400 The encrypted content gAAAAA',
    ],
    [
      'reasoning without its content',
      () => conversation({ ...said.reasoning, encrypted_content: undefined }, assistant('Hi')),
      "404 Item with id 'rs_",
    ],
    [
      'reasoning that nothing follows',
      () => conversation(said.reasoning, user('Bye')),
      "400 Item 'rs_",
    ],
    [
      'calls without the reasoning before them',
      () => conversation(...said.calls, ...said.outputs),
      '400 [fake] call call_',
    ],
    [
      'another name of a call',
      () =>
        conversation(
          said.reasoning,
          { ...said.calls[0], name: 'write' },
          output(said.calls[0]?.call_id ?? ''),
        ),
      '400 [fake] call call_',
    ],
    [
      'another input of a call',
      () =>
        conversation(
          said.reasoning,
          { ...said.calls[0], arguments: '{"path":"c"}' },
          output(said.calls[0]?.call_id ?? ''),
        ),
      '400 [fake] the input of call call_',
    ],
    [
      'a tool with a bad name',
      () => ({ ...base, tools: [tool({ name: 'read.file' })] }),
      "400 Invalid 'tools[0].name': string does not match pattern.",
    ],
    [
      'two tools of one name',
      () => ({ ...base, tools: [tool(), tool()] }),
      "400 Duplicate tool name: 'read'.",
    ],
    [
      'two tools of one name in a namespace',
      () => ({ ...base, tools: [namespace(tool(), tool())] }),
      "400 Duplicate tool name: 'read'.",
    ],
    [
      'a schema that is no object',
      () => ({ ...base, tools: [tool({ parameters: { type: 'string' } })] }),
      "400 Invalid schema for function 'read': In context=(), schema must be of type 'object', got 'string'",
    ],
    [
      'a strict tool with open objects',
      () => ({ ...base, tools: [tool({ strict: true })] }),
      "400 Invalid schema for function 'read': In context=(), 'additionalProperties' is required",
    ],
    [
      'a strict tool with an optional property',
      () => ({
        ...base,
        tools: [
          tool({
            strict: true,
            parameters: {
              type: 'object',
              properties: { a: { type: 'string' } },
              additionalProperties: false,
            },
          }),
        ],
      }),
      "400 Invalid schema for function 'read'",
    ],
    [
      'a prompt over the context window',
      () => ({ model: 'small', input: 'word '.repeat(300) }),
      '400 Your input exceeds the context window of this model.',
    ],
  ])('%s', async (_, body, expected) => {
    const before = fake.refused.length
    const answer = await post(fake, 'responses', body())
    const message = errorMessageIn('responses', answer.body)
    expect(`${answer.status} ${message}`.slice(0, expected.length)).toBe(expected)
    expect(fake.refused.slice(before)).toMatchObject([{ status: answer.status, message }])
  })
})
