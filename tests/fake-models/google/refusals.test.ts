import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeModels, startFakeModels } from '../fake-models.ts'
import { errorMessageIn, post } from '../raw-requests.ts'
import { call, say, think } from '../script.ts'

const user = (...parts: unknown[]) => ({ role: 'user', parts })
const model = (...parts: unknown[]) => ({ role: 'model', parts })
const text = (text: string) => ({ text })
const skipped = { thoughtSignature: 'skip_thought_signature_validator' }
const calls = (id: string, more: object = skipped) => ({
  functionCall: { id, name: 'read', args: {} },
  ...more,
})
const response = (id: string, name = 'read') => ({
  functionResponse: { id, name, response: { content: 'ok' } },
})
const base = { contents: [user(text('Hello'))] }
const conversation = (...contents: unknown[]) => ({ contents: [user(text('Hello')), ...contents] })
const declare = (...functionDeclarations: unknown[]) => ({
  ...base,
  tools: [{ functionDeclarations }],
})

interface SaidPart {
  functionCall: { id: string; name: string; args: object }
  thoughtSignature?: string
}
let fake: FakeModels
/** Two issued calls, the first with the signature. */
let said: SaidPart[]
let responses: object[]

beforeAll(async () => {
  fake = await startFakeModels({
    script: ({ turn }) =>
      turn === 0
        ? [think('Hm.'), call('read', { path: 'a' }), call('read', { path: 'b' })]
        : [say('Yes.')],
    models: [{ id: 'small', wires: ['google'], contextChars: 1000, maxOutputTokens: 100_000 }],
  })
  said = (await post(fake, 'google', base)).body.candidates[0].content.parts
  responses = said.map(({ functionCall }) => response(functionCall.id))
})
afterAll(() => fake.stop())

const withFirst = (more: object) => [{ ...said[0], ...more }, said[1]]
const withFirstCall = (more: object) =>
  withFirst({ functionCall: { ...said[0]?.functionCall, ...more } })

describe('Gemini accepts', () => {
  it.each<[string, () => object]>([
    ['a prompt', () => base],
    ['a conversation', () => conversation(model(text('Hi')), user(text('Bye')))],
    ['what it issued', () => conversation(model(...said), user(...responses))],
    [
      'a prompt after responses',
      () => conversation(model(...said), user(...responses), user(text('Go on'))),
    ],
    [
      'calls of other models, with the mark for them',
      () => conversation(model(calls('a'), calls('b', {})), user(response('a'), response('b'))),
    ],
    [
      'calls of earlier turns without their signature',
      () =>
        conversation(
          model(calls('a', {})),
          user(response('a')),
          model(text('Hi')),
          user(text('Bye')),
        ),
    ],
    ['a function without parameters', () => declare({ name: 'read' })],
  ])('%s', async (_, body) => {
    expect(await post(fake, 'google', body())).toMatchObject({ status: 200 })
  })
})

describe('Gemini refuses', () => {
  const sameNumber =
    '400 Please ensure that the number of function response parts is equal to the number of function call parts'
  const emptyPart = (content: number) =>
    `400 * GenerateContentRequest.contents[${content}].parts[0].data: required oneof field 'data'`

  it.each<[string, () => object, string]>([
    [
      'an unknown parameter',
      () => ({ ...base, model: 'x' }),
      '400 Invalid JSON payload received. Unknown name "model": Cannot find field.',
    ],
    [
      'an unknown key of a part',
      () => conversation(model({ text: 'Hi', reasoning: 'x' })),
      `400 Invalid JSON payload received. Unknown name "reasoning" at 'contents[1].parts[0]': Cannot find field.`,
    ],
    [
      'no contents',
      () => ({ contents: [] }),
      '400 * GenerateContentRequest.contents: contents is not specified',
    ],
    [
      'an unknown role',
      () => conversation({ role: 'assistant', parts: [text('Hi')] }),
      '400 Please use a valid role: user, model.',
    ],
    [
      'a first content of the model',
      () => ({ contents: [model(text('Hi'))] }),
      '400 Please ensure that the first content has the role user.',
    ],
    [
      'an empty turn of the model',
      () => conversation(model(), user(text('Bye'))),
      '400 * GenerateContentRequest.contents[1].parts: contents.parts must not be empty.',
    ],
    ['an empty text', () => conversation(model(text('')), user(text('Bye'))), emptyPart(1)],
    ['an empty prompt', () => ({ contents: [user(text(''))] }), emptyPart(0)],
    [
      'a part with nothing in it',
      () => conversation(model({ thought: true }), user(text('Bye'))),
      emptyPart(1),
    ],
    [
      'a call without a response',
      () => conversation(model(...said), user(responses[0])),
      sameNumber,
    ],
    ['a call at the end', () => conversation(model(...said)), sameNumber],
    [
      'a late response',
      () => conversation(model(calls('a')), user(text('No')), user(response('a'))),
      sameNumber,
    ],
    [
      'a response without its call',
      () => conversation(user(response('a'))),
      '400 Please ensure that function response turn comes immediately after a function call turn.',
    ],
    [
      'a response to another call',
      () => conversation(model(calls('a')), user(response('b'))),
      '400 [fake] the response of function read (b) belongs to no call before it',
    ],
    [
      'a response under another name',
      () => conversation(model(calls('a')), user(response('a', 'write'))),
      '400 [fake] the response of function write (a) belongs to no call before it',
    ],
    [
      'two responses to a call',
      () => conversation(model(...said), user(responses[0], responses[0])),
      '400 [fake] a function call has two responses',
    ],
    [
      'calls after a turn of the model',
      () => conversation(model(text('Hi')), model(calls('a')), user(response('a'))),
      '400 Please ensure that function call turn comes immediately after a user turn',
    ],
    [
      'an id that was used before',
      () =>
        conversation(
          model(calls('a')),
          user(response('a')),
          model(calls('a')),
          user(response('a')),
        ),
      '400 [fake] the id of function call a is not unique',
    ],
    [
      'a call by the user',
      () => conversation(user(calls('a')), user(response('a'))),
      '400 Please ensure that function call turns have the role model.',
    ],
    [
      'a response by the model',
      () => conversation(model(calls('a')), model(response('a'))),
      '400 Please ensure that function response turns have the role user.',
    ],
    [
      'a foreign signature',
      () => conversation(model(calls('a', { thoughtSignature: 'EqQB' })), user(response('a'))),
      '400 Corrupted thought signature.',
    ],
    [
      'a call without its signature',
      () => conversation(model(...withFirst({ thoughtSignature: undefined })), user(...responses)),
      '400 Function call is missing a thought_signature in functionCall parts.',
    ],
    [
      'the mark of other models on a call of its own',
      () => conversation(model(...withFirst(skipped)), user(...responses)),
      '400 [fake] call call_',
    ],
    [
      'another name of a call',
      () =>
        conversation(
          model(...withFirstCall({ name: 'write' })),
          user(response(said[0]?.functionCall.id ?? '', 'write'), responses[1]),
        ),
      '400 [fake] call call_',
    ],
    [
      'another input of a call',
      () => conversation(model(...withFirstCall({ args: { path: 'c' } })), user(...responses)),
      '400 [fake] the input of call call_',
    ],
    [
      'a function with a bad name',
      () => declare({ name: '1read' }),
      '400 * GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.',
    ],
    [
      'two functions of one name',
      () => declare({ name: 'read' }, { name: 'read' }),
      '400 Duplicate function declaration found: read',
    ],
    [
      'two schemas of a function',
      () =>
        declare({
          name: 'read',
          parameters: { type: 'object' },
          parametersJsonSchema: { type: 'object' },
        }),
      '400 Only one of parameters and parameters_json_schema',
    ],
    [
      'a schema with a broken pattern',
      () =>
        declare({
          name: 'read',
          parametersJsonSchema: {
            type: 'object',
            properties: { a: { type: 'string', pattern: '(' } },
          },
        }),
      '400 * GenerateContentRequest.tools[0].function_declarations[0].parameters: /properties/a/pattern is not a regular expression',
    ],
  ])('%s', async (_, body, expected) => {
    const before = fake.refused.length
    const answer = await post(fake, 'google', body())
    const message = errorMessageIn('google', answer.body)
    expect(`${answer.status} ${message}`.slice(0, expected.length)).toBe(expected)
    expect(fake.refused.slice(before)).toMatchObject([{ status: answer.status, message }])
  })

  it.each([
    [
      'an unknown model',
      'gemini-9',
      base,
      '404 models/gemini-9 is not found for API version v1beta',
    ],
    [
      'a prompt over the context window',
      'small',
      { contents: [user(text('word '.repeat(300)))] },
      '400 The input token count (',
    ],
  ])('%s', async (_, id, body, expected) => {
    const answer = await post(fake, 'google', body, {
      path: `/v1beta/models/${id}:generateContent`,
    })
    const message = errorMessageIn('google', answer.body)
    expect(`${answer.status} ${message}`.slice(0, expected.length)).toBe(expected)
  })
})
