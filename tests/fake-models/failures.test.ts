import { afterEach, describe, expect, it } from 'vitest'
import { ask, user } from './ask.ts'
import { type FakeModels, startFakeModels } from './fake-models.ts'
import type { Wire } from './models.ts'
import { say, type Turn } from './script.ts'

const wires: Wire[] = ['anthropic', 'responses', 'chat', 'google']
const text = 'This is the whole answer of the model, in several pieces.'
const parts = [say(text)]

let fake: FakeModels
afterEach(async () => {
  await fake.stop()
  expect(fake.refused).toEqual([])
})

async function asked(wire: Wire, turn: Turn) {
  fake = await startFakeModels({ script: [turn] })
  return ask(fake, wire, [user('Hello')])
}

describe.each(wires)('on the %s wire', (wire) => {
  it.each([400, 401, 402, 403, 404, 413] as const)('%i is final', async (status) => {
    const { errors } = await asked(wire, { status })
    expect(errors).toMatchObject([
      { name: 'AI_APICallError', statusCode: status, isRetryable: false },
    ])
    expect(fake.requests).toMatchObject([{ status, turn: 0 }])
  })

  it.each([408, 409, 429, 500, 502, 503, 504, 529] as const)(
    '%i may be retried',
    async (status) => {
      const { errors } = await asked(wire, { status, message: 'Come back.' })
      expect(errors).toMatchObject([
        { name: 'AI_APICallError', statusCode: status, isRetryable: true, message: 'Come back.' },
      ])
    },
  )

  it('a proxy may answer for the service', async () => {
    const { errors } = await asked(wire, { status: 503, html: true })
    expect(errors).toMatchObject([{ statusCode: 503, isRetryable: true }])
  })

  it('a prompt that is too long is refused in the words of the service', async () => {
    const { errors } = await asked(wire, { promptTooLong: true })
    const message = {
      anthropic: /^prompt is too long: \d+ tokens > \d+ maximum$/,
      responses: /^Your input exceeds the context window of this model/,
      chat: /^This model's maximum context length is \d+ tokens/,
      google: /^The input token count \(\d+\) exceeds the maximum number of tokens allowed/,
    }[wire]
    expect(errors).toMatchObject([
      { statusCode: 400, isRetryable: false, message: expect.stringMatching(message) },
    ])
    expect(fake.requests).toMatchObject([{ status: wire === 'responses' ? 200 : 400 }])
  })

  it('an error may come as the first event', async () => {
    const { errors, finishReason } = await asked(wire, {
      status: 429,
      code: 'insufficient_quota',
      message: 'No credit.',
      inStream: true,
    })
    expect(errors).toMatchObject([{ message: 'No credit.' }])
    // Two of the packages read the first event before they report the start of the stream.
    const isEarly = wire === 'anthropic' || wire === 'responses'
    expect(finishReason).toBe(isEarly ? undefined : 'error')
    expect(fake.requests).toMatchObject([{ status: 200 }])
  })

  it('an error in the stream may be another than overload', async () => {
    const error = { status: 500, message: 'Broken.' }
    const asking = await asked(wire, { parts, flaw: { kind: 'error-event', error } })
    expect(asking.errors).toMatchObject([{ name: 'AI_StreamProviderError', message: 'Broken.' }])
  })

  it('retry-after comes in each of its forms', async () => {
    const date = new Date(Date.UTC(2026, 10, 22))
    const forms = [{ ms: 250 }, { date }, { seconds: 2 }]
    fake = await startFakeModels({
      script: forms.map((retryAfter) => ({ status: 429, retryAfter })),
    })
    const [ms, dated, seconds] = [
      await ask(fake, wire, [user('Hello')]),
      await ask(fake, wire, [user('Hello')]),
      await ask(fake, wire, [user('Hello')]),
    ].map(({ errors }) => errors[0])
    expect(ms).toMatchObject({ responseHeaders: { 'retry-after-ms': '250' } })
    expect(dated).toMatchObject({ responseHeaders: { 'retry-after': date.toUTCString() } })
    if (wire === 'google') {
      const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }
      expect(seconds).toMatchObject({ data: { error: { details: [retryInfo] } } })
    } else expect(seconds).toMatchObject({ responseHeaders: { 'retry-after': '2' } })
  })

  it('the connection is cut before the headers', async () => {
    const { errors } = await asked(wire, { disconnect: 'before-headers' })
    expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: true }])
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('Cannot connect to API') })
  })

  it('the connection is cut before the first event', async () => {
    const { errors, thrown, text } = await asked(wire, { disconnect: 'before-first-event' })
    expect([...errors, thrown].filter(Boolean)).toMatchObject([
      { name: 'AI_APICallError', isRetryable: true },
    ])
    expect(text).toBe('')
  })

  it('the connection is cut in mid-stream', async () => {
    const asking = await asked(wire, { parts, flaw: { kind: 'disconnect' } })
    expect(asking.thrown).toMatchObject({ name: 'AI_APICallError', isRetryable: true })
    expect(text.startsWith(asking.text)).toBe(true)
    expect(asking.text.length).toBeGreaterThan(0)
    expect(asking.text.length).toBeLessThan(text.length)
  })

  it('a stream ends in the middle of an event', async () => {
    const { finishReason, text: got } = await asked(wire, { parts, flaw: { kind: 'truncated' } })
    expect(finishReason).toBe(wire === 'chat' ? 'error' : 'interrupted')
    expect(got.length).toBeLessThan(text.length)
  })

  it('an event is broken, and the stream continues without it', async () => {
    const asking = await asked(wire, { parts, flaw: { kind: 'malformed' } })
    expect(asking.errors).toMatchObject([{ name: 'AI_JSONParseError' }])
    expect(asking.finishReason).toBe(wire === 'responses' ? 'error' : 'stop')
    expect(asking.text.length).toBeLessThan(text.length)
    expect(text.endsWith(asking.text.slice(-5))).toBe(true)
  })

  it.each([0, undefined, 99])('the service reports an error after %s pieces', async (after) => {
    const asking = await asked(wire, { parts, flaw: { kind: 'error-event', after } })
    expect(asking.errors).toMatchObject([
      { name: 'AI_StreamProviderError', isRetryable: wire !== 'chat' },
    ])
    expect(asking.finishReason).toBe('error')
    expect(asking.text.length).toBe(
      after === 0 ? 0 : after === 99 ? text.length : asking.text.length,
    )
  })

  it('a page of HTML comes with 200', async () => {
    const { errors, finishReason, text } = await asked(wire, { html: true })
    const names = errors.map((error) => (error as Error).name)
    const expected = {
      anthropic: [['AI_NoOutputGeneratedError'], undefined],
      responses: [[], 'interrupted'],
      chat: [['AI_InvalidResponseDataError'], 'error'],
      google: [[], 'interrupted'],
    }
    expect([names, finishReason]).toEqual(expected[wire])
    expect(text).toBe('')
  })

  it.each<[string, Turn, number | null]>([
    ['no headers', { silence: 'before-headers' }, null],
    ['no event', { silence: 'before-first-event' }, 200],
    ['no end', { parts, flaw: { kind: 'silence' } }, 200],
  ])('%s ever comes, until the client goes away', async (_, turn, status) => {
    fake = await startFakeModels({ script: [turn] })
    const client = new AbortController()
    const asking = ask(fake, wire, [user('Hello')], { abortSignal: client.signal })
    await fake.until(([request]) => request?.turn === 0)
    expect(fake.requests).toMatchObject([{ isOpen: true, status }])
    client.abort()
    expect((await asking).parts.map(({ type }) => type)).toContain('abort')
    expect(await fake.requests[0]?.ended).toBe(false)
    expect(fake.requests).toMatchObject([{ isOpen: false }])
  })

  it('an answer drips as slowly as the test wants', async () => {
    const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reached: number[] = []
    const pace = (event: number) => {
      reached.push(event)
      return steps[event]?.promise
    }
    fake = await startFakeModels({ script: [{ parts, pace }] })
    const asking = ask(fake, wire, [user('Hello')])
    await fake.until(([request]) => request?.status === 200)
    expect(reached).toEqual([0])
    for (const { resolve } of steps) resolve()
    expect((await asking).text).toBe(text)
    expect(reached.length).toBeGreaterThan(2)
  })

  it('an answer is empty, cut at its length, or refused', async () => {
    expect(await asked(wire, [])).toMatchObject({ errors: [], text: '', finishReason: 'stop' })
    await fake.stop()
    expect(await asked(wire, { parts, stop: 'length' })).toMatchObject({ finishReason: 'length' })
    await fake.stop()
    const refused = await asked(wire, { parts: [], stop: 'refusal' })
    expect(refused).toMatchObject({ text: '', finishReason: 'content-filter' })
  })
})
