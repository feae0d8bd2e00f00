import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeModels, startFakeModels } from '../fake-models.ts'
import { errorMessageIn, post } from '../raw-requests.ts'
import { call, say, think } from '../script.ts'

const model = 'claude-opus-5-5'
const older = 'claude-sonnet-4-5'
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const system = (content: unknown, more = {}) => ({ role: 'system', content, ...more })
const text = (text: string, more = {}) => ({ type: 'text', text, ...more })
const use = (id: string, more = {}) => ({ type: 'tool_use', id, name: 'read', input: {}, ...more })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
const base = { model, max_tokens: 1000, messages: [user('Hello')] }
const conversation = (...messages: unknown[]) => ({
  ...base,
  messages: [user('Hello'), ...messages],
})
const tool = (more = {}) => ({ name: 'read', input_schema: { type: 'object' }, ...more })
const cache = { cache_control: { type: 'ephemeral' } }

let fake: FakeModels
/** Blocks that the fake issued, and results for its two calls. */
let said: { thinking: object; first: object; second: object; results: object[] }

beforeAll(async () => {
  fake = await startFakeModels({
    script: ({ turn }) =>
      turn === 0
        ? [think('Hm.'), say('I read.'), call('read', { path: 'a' }), call('read', { path: 'b' })]
        : [say('Yes.')],
    models: [{ id: 'small', wires: ['anthropic'], contextChars: 1000, maxOutputTokens: 100_000 }],
  })
  const thinking = { type: 'adaptive', display: 'summarized' }
  const { body } = await post(fake, 'anthropic', { ...base, thinking })
  const [thought, , first, second] = body.content
  said = { thinking: thought, first, second, results: [result(first.id), result(second.id)] }
})
afterAll(() => fake.stop())

async function refusal(body: unknown): Promise<string> {
  const before = fake.refused.length
  const answer = await post(fake, 'anthropic', body)
  const message = errorMessageIn('anthropic', answer.body)
  expect(fake.refused.slice(before)).toMatchObject([{ status: answer.status, message }])
  return `${answer.status} ${message}`
}

describe('the Messages API accepts', () => {
  it.each<[string, () => object]>([
    ['a prompt', () => base],
    ['a conversation', () => conversation(assistant('Hi'), user('Bye'))],
    ['two messages of the user in a row', () => conversation(user('Bye'))],
    ['a system message after one of the user', () => conversation(system('Be brief.'))],
    ['prefill, on older models', () => ({ ...conversation(assistant('Hi')), model: older })],
    [
      'calls with their results',
      () => conversation(assistant([use('a'), use('b')]), user([result('b'), result('a')])),
    ],
    [
      'results in two messages',
      () => conversation(assistant([use('a'), use('b')]), user([result('b')]), user([result('a')])),
    ],
    [
      'a text after the results',
      () => conversation(assistant([use('a')]), user([result('a'), text('and')])),
    ],
    [
      'what it issued',
      () => conversation(assistant([said.thinking, said.first, said.second]), user(said.results)),
    ],
    [
      'four breakpoints',
      () => ({
        ...base,
        system: [text('a', cache), text('b', cache)],
        tools: [tool(cache)],
        messages: [user([text('c', cache)])],
      }),
    ],
    [
      'a schema with references',
      () => ({
        ...base,
        tools: [
          tool({
            input_schema: {
              type: 'object',
              properties: { a: { $ref: '#/$defs/a' } },
              $defs: { a: { type: ['string', 'null'] } },
            },
          }),
        ],
      }),
    ],
  ])('%s', async (_, body) => {
    expect(await post(fake, 'anthropic', body())).toMatchObject({ status: 200 })
  })
})

describe('the Messages API refuses', () => {
  it.each<[string, () => object, string]>([
    ['an unknown model', () => ({ ...base, model: 'claude-9' }), '404 model: claude-9'],
    [
      'a missing max_tokens',
      () => ({ ...base, max_tokens: undefined }),
      '400 max_tokens: Field required',
    ],
    [
      'too many max_tokens',
      () => ({ ...base, max_tokens: 200_000 }),
      '400 max_tokens: 200000 > 128000',
    ],
    [
      'a system message, by older models',
      () => ({ ...conversation(system('Be brief.')), model: older }),
      "400 messages.1.role: Input should be 'user' or 'assistant'",
    ],
    [
      'a system message after one of the assistant',
      () => conversation(assistant('Hi'), system('Be brief.')),
      '400 [fake] messages.2: a system message does not follow a message of the user',
    ],
    [
      'what is in a beta that was not asked for',
      () => ({ ...base, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }),
      '400 context_management: Extra inputs are not permitted',
    ],
    [
      'the effort of one turn, without its beta',
      () => conversation(system('Be brief.', { output_config: { effort: 'low' } })),
      '400 messages.1.output_config: Extra inputs are not permitted',
    ],
    ['an unknown parameter', () => ({ ...base, n: 1 }), '400 n: Extra inputs are not permitted'],
    [
      'an unknown key of a block',
      () => conversation(assistant([text('a', { reasoning: 'b' })]), user('c')),
      '400 messages.1.content.0.reasoning: Extra inputs are not permitted',
    ],
    ['an unknown role', () => conversation({ role: 'tool', content: 'a' }), '400 messages.1.role:'],
    [
      'no messages',
      () => ({ ...base, messages: [] }),
      '400 messages: at least one message is required',
    ],
    [
      'a first message of the assistant',
      () => ({ ...base, messages: [assistant('Hi'), user('Hello')] }),
      '400 messages: first message must use the "user" role',
    ],
    [
      'prefill',
      () => conversation(assistant('Hi')),
      '400 This model does not support assistant message prefill',
    ],
    [
      'an empty assistant turn',
      () => conversation(assistant([]), user('Bye')),
      '400 messages.1: all messages must have non-empty content',
    ],
    [
      'an empty text',
      () => conversation(assistant([text('')]), user('Bye')),
      '400 messages: text content blocks must be non-empty',
    ],
    [
      'an empty prompt',
      () => ({ ...base, messages: [user('')] }),
      '400 messages: text content blocks must be non-empty',
    ],
    [
      'a text of white space',
      () => conversation(assistant(' \n'), user('Bye')),
      '400 messages: text content blocks must contain non-whitespace text',
    ],
    [
      'an empty system prompt',
      () => ({ ...base, system: '' }),
      '400 system: text content blocks must be non-empty',
    ],
    [
      'an empty text in a result',
      () => conversation(assistant([use('a')]), user([{ ...result('a'), content: [text('')] }])),
      '400 messages: text content blocks must be non-empty',
    ],
    [
      'a call without a result',
      () => conversation(assistant([use('a'), use('b')]), user([result('a')])),
      '400 messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.',
    ],
    [
      'a call at the end',
      () => conversation(assistant([use('a')])),
      '400 messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
    ],
    [
      'a text before the result',
      () => conversation(assistant([use('a')]), user([text('and'), result('a')])),
      '400 messages.1: `tool_use` ids were found without',
    ],
    [
      'a late result',
      () => conversation(assistant([use('a')]), user('No'), assistant('Oh'), user([result('a')])),
      '400 messages.1: `tool_use` ids were found without',
    ],
    [
      'a result without its call',
      () => conversation(assistant('Hi'), user([result('a')])),
      '400 messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.',
    ],
    [
      'a result at the beginning',
      () => ({ ...base, messages: [user([result('a')])] }),
      '400 messages.0.content.0: unexpected `tool_use_id`',
    ],
    [
      'two results of a call',
      () => conversation(assistant([use('a')]), user([result('a'), result('a')])),
      '400 messages.2: each tool_use must have a single result.',
    ],
    [
      'an id that was used before',
      () =>
        conversation(
          assistant([use('a')]),
          user([result('a')]),
          assistant([use('a')]),
          user([result('a')]),
        ),
      '400 messages.3: `tool_use` ids must be unique',
    ],
    [
      'an id with other characters',
      () => conversation(assistant([use('a:1')]), user([result('a:1')])),
      "400 messages.1.content.0.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'an input that is no object',
      () => conversation(assistant([use('a', { input: '{}' })]), user([result('a')])),
      '400 messages.1.content.0.input:',
    ],
    [
      'a call by the user',
      () => conversation(user([use('a')])),
      '400 messages.1: `tool_use` blocks are not permitted in `user` messages',
    ],
    [
      'foreign thinking',
      () =>
        conversation(
          assistant([{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }, text('Hi')]),
          user('Bye'),
        ),
      '400 messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'foreign redacted thinking',
      () =>
        conversation(
          assistant([{ type: 'redacted_thinking', data: 'EqQB' }, text('Hi')]),
          user('Bye'),
        ),
      '400 messages.1.content.0: Invalid `data` in `redacted_thinking` block',
    ],
    [
      'changed thinking',
      () =>
        conversation(
          assistant([{ ...said.thinking, thinking: 'Ha.' }, said.first, said.second]),
          user(said.results),
        ),
      '400 messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'calls without the thinking before them',
      () => conversation(assistant([said.first, said.second]), user(said.results)),
      '400 [fake] call toolu_',
    ],
    [
      'a turn in progress without thinking',
      () => ({
        ...conversation(assistant([use('a')]), user([result('a')])),
        model: older,
        max_tokens: 5000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      }),
      '400 messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
    ],
    [
      'another name of a call',
      () =>
        conversation(
          assistant([said.thinking, { ...said.first, name: 'write' }, said.second]),
          user(said.results),
        ),
      '400 [fake] call toolu_',
    ],
    [
      'another input of a call',
      () =>
        conversation(
          assistant([said.thinking, { ...said.first, input: { path: 'c' } }, said.second]),
          user(said.results),
        ),
      '400 [fake] the input of call toolu_',
    ],
    [
      'five breakpoints',
      () => ({
        ...base,
        cache_control: { type: 'ephemeral' },
        system: [text('a', cache), text('b', cache)],
        tools: [tool(cache)],
        messages: [user([text('c', cache)])],
      }),
      '400 A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a long breakpoint after a short one',
      () => ({
        ...base,
        system: [text('a', cache), text('b', { cache_control: { type: 'ephemeral', ttl: '1h' } })],
      }),
      "400 a ttl='1h' cache_control block must not come after a ttl='5m'",
    ],
    [
      'cached thinking',
      () => conversation(assistant([{ ...said.thinking, ...cache }, text('Hi')]), user('Bye')),
      '400 messages.1.content.0.cache_control: Extra inputs are not permitted',
    ],
    [
      'a tool with a bad name',
      () => ({ ...base, tools: [tool({ name: 'read file' })] }),
      '400 tools.0.custom.name: String should match pattern',
    ],
    [
      'two tools of one name',
      () => ({ ...base, tools: [tool(), tool()] }),
      '400 tools: Tool names must be unique.',
    ],
    [
      'a schema that is no object',
      () => ({ ...base, tools: [tool({ input_schema: { type: 'string' } })] }),
      '400 tools.0.custom.input_schema: JSON schema is invalid.',
    ],
    [
      'a schema of an unknown type',
      () => ({
        ...base,
        tools: [tool({ input_schema: { type: 'object', properties: { a: { type: 'text' } } } })],
      }),
      '400 tools.0.custom.input_schema: JSON schema is invalid.',
    ],
    [
      'a reference that leads nowhere',
      () => ({
        ...base,
        tools: [
          tool({ input_schema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } }),
        ],
      }),
      '400 tools.0.custom.input_schema: JSON schema is invalid.',
    ],
    [
      'the choice of an unknown tool',
      () => ({
        ...base,
        model: older,
        tools: [tool()],
        tool_choice: { type: 'tool', name: 'write' },
      }),
      "400 Tool 'write' not found in provided tools",
    ],
    [
      'a choice without tools',
      () => ({ ...base, tool_choice: { type: 'auto' } }),
      '400 tool_choice: tool_choice may only be specified while providing tools',
    ],
    [
      'a forced call while thinking',
      () => ({ ...base, tools: [tool()], tool_choice: { type: 'any' } }),
      '400 Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'a thinking budget on a newer model',
      () => ({ ...base, thinking: { type: 'enabled', budget_tokens: 1024 } }),
      '400 "thinking.type.enabled" is not supported for this model.',
    ],
    [
      'a budget over max_tokens',
      () => ({ ...base, model: older, thinking: { type: 'enabled', budget_tokens: 1024 } }),
      '400 `max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    [
      'no thinking on a newer model',
      () => ({ ...base, thinking: { type: 'disabled' } }),
      '400 "thinking.type.disabled" is not supported for this model.',
    ],
    [
      'a temperature on a newer model',
      () => ({ ...base, temperature: 0.5 }),
      '400 `temperature` is deprecated for this model.',
    ],
    [
      'a prompt over the context window',
      () => ({ ...base, model: 'small', messages: [user('word '.repeat(300))] }),
      '400 prompt is too long: ',
    ],
  ])('%s', async (_, body, expected) => {
    expect((await refusal(body())).slice(0, expected.length)).toBe(expected)
  })
})
