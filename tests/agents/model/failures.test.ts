/** What goes wrong between us and a model, on every wire: what is tried again, what is said of it, and when it ends. */
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { call, say, type Turn, think } from '../../fake-models/script.ts'
import { breaking, fakeModels, modelStage, told, wires } from './model-stage.ts'

describe.each(wires)('on the wire %s', (wire) => {
  async function play(...script: Turn[]) {
    const fake = await fakeModels({ script: [...script, [say('Still.')]] })
    const staged = await modelStage({ fake, wire })
    const outcome = await staged.run('Go.')
    const entries = await staged.entries()
    return { fake, outcome, entries, lines: told(entries).slice(1) }
  }

  it.each<[string, Turn]>([
    ['429', { status: 429, retryAfter: { ms: 1 } }],
    ['500', { status: 500 }],
    ['529', { status: 529 }],
    ['a connection that is cut before the answer', { disconnect: 'before-headers' }],
    ['a page of HTML', { html: true }],
    ['a page of HTML with 502', { status: 502, html: true }],
  ])('tries again after %s, and begins no turn for it', async (_, failure) => {
    const { outcome, lines, fake } = await play(failure, [say('Here.')])
    expect(outcome).toMatchObject({ status: 'completed', usage: { complete: true } })
    expect(lines).toEqual([
      expect.stringMatching(/^retrying (quota|refused|network)$/),
      'assistant complete: Here.',
      'end completed',
    ])
    expect(fake.refused).toEqual([])
  })

  it.each(['disconnect', 'truncated', 'malformed', 'error-event'] as const)(
    'gives no half answer for a whole one when the stream ends by %s',
    async (kind) => {
      const { lines, fake, outcome, entries } = await play(
        { parts: [say('This is the first half of what is said.')], flaw: { kind } },
        [say('All of it.')],
      )
      expect(lines.at(-2)).toBe('assistant complete: All of it.')
      expect(lines.filter((line) => line.startsWith('retrying'))).toHaveLength(1)
      const superseded = lines.filter((line) => line.startsWith('assistant superseded: This'))
      expect(superseded).toHaveLength(1)
      if (kind === 'disconnect')
        expect(entries).toContainEqual(
          expect.objectContaining({
            type: 'retrying',
            cause: { kind: 'network', detail: 'it broke off in the answer' },
          }),
        )
      // Only a stream that came to its end may have said all that the broken attempt used.
      if (kind !== 'malformed') expect(outcome.usage.complete).toBe(false)
      expect(JSON.stringify(fake.requests.at(-1)?.body)).not.toContain('first half')
    },
  )

  it('makes no call of an answer that was cut off', async () => {
    const flawed = { parts: [say('I try this.'), call('bash', { command: 'rm -r x' })] }
    const { lines } = await play({ ...flawed, flaw: { kind: 'disconnect', after: 12 } }, [
      say('No.'),
    ])
    expect(lines.join()).not.toContain('call bash')
    expect(lines.at(-1)).toBe('end completed')
  })

  it('asks again for an empty answer, a limited number of times', async () => {
    const nothing = { parts: [] }
    expect((await play(nothing, [say('Something.')])).lines.at(-2)).toBe(
      'assistant complete: Something.',
    )
    const { outcome, fake } = await play(nothing, nothing, nothing, nothing, nothing)
    expect(outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'network' } })
    expect(fake.requests).toHaveLength(4)
  })

  it('[G7] does not retry a permanent failure, and names its cause', async () => {
    const denied = await play({ status: 401 })
    expect(denied.outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'sign-in' } })
    const refused = await play({ status: 400, message: 'no such thing' })
    expect(refused.outcome.cause).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('no such thing'),
    })
    for (const { fake } of [denied, refused]) expect(fake.requests).toHaveLength(1)
  })

  it('[G7] leaves something out of a request once, and ends if the next is refused for the same', async () => {
    for (const message of [
      'Thinking is not supported by this model',
      'No vision model is loaded',
    ]) {
      const again = Array.from({ length: 5 }, () => ({ status: 400, message }) as const)
      const { outcome, fake } = await play(...again)
      expect(JSON.stringify(outcome.cause)).toContain(message)
      expect(fake.requests.length).toBeLessThan(3)
    }
  })

  it('[Q1] treats a long retry-after as a spent quota, and ends until then', async () => {
    const before = Date.now()
    const { outcome, fake } = await play({ status: 429, retryAfter: { seconds: 3600 } })
    expect(outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'quota' } })
    const { cause } = outcome
    const untilMs = cause?.kind === 'quota' ? cause.untilMs : null
    expect(untilMs).toBeGreaterThanOrEqual(before + 3_600_000)
    expect(fake.requests).toHaveLength(1)
  })

  it('fails after eight attempts at a service that is down', async () => {
    const { outcome, fake } = await play(
      ...Array.from({ length: 12 }, () => ({ status: 529 }) as const),
    )
    expect(outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'refused' } })
    expect(fake.requests).toHaveLength(9)
  })

  it('continues after an answer that reached its limit, and reports one that was filtered', async () => {
    const cut = { parts: [say('Half')], stop: 'length' as const }
    const { lines, fake } = await play(cut, [say('The rest.')])
    expect(lines).toEqual([
      'assistant complete: Half',
      'assistant complete: The rest.',
      'end completed',
    ])
    expect(fake.refused).toEqual([])
    const filtered = await play({ parts: [say('No')], stop: 'refusal' })
    expect(filtered.outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'refused' } })
    const always = await play(cut, cut, cut, cut, cut)
    expect(always.outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'refused' } })
    expect(always.fake.requests).toHaveLength(4)
  })

  it('passes a call with invalid JSON or an unknown tool to the tools, which answer it', async () => {
    // Google’s inputs are JSON of the stream itself.
    const input = wire === 'google' ? {} : '{"command": "l'
    const { lines, fake, outcome } = await play(
      [call('bash', input), call('no_such_tool', {})],
      [say('Oh.')],
    )
    expect(outcome.status).toBe('completed')
    expect(fake.refused).toEqual([])
    const calls = lines.filter((line) => line.startsWith('call'))
    expect(calls).toEqual(['call bash', 'call no_such_tool'])
  })

  it.each(['before-headers', 'before-first-event', 'in-stream'] as const)(
    'tries again when the service falls silent %s',
    async (where) => {
      const silent: Turn =
        where === 'in-stream'
          ? { parts: [say('Half of an answer that stops')], flaw: { kind: 'silence' } }
          : { silence: where }
      const fake = await fakeModels({ script: [silent, [say('Here.')]] })
      // Read at the beginning of each attempt. The second answer has time to arrive on a busy machine.
      const silenceMs = () => (fake.requests.length === 0 ? 300 : 60_000)
      const timeouts = {
        get firstChunkMs() {
          return silenceMs()
        },
        get chunkMs() {
          return silenceMs()
        },
        answerMs: 60_000,
      }
      const { run, entries } = await modelStage({ fake, wire, timeouts })
      expect(await run('Go.')).toMatchObject({ status: 'completed' })
      expect(told(await entries())).toContain('retrying network')
      await fake.until(([first]) => first?.isOpen === false)
    },
  )

  it('ends within 100 ms if it is stopped, whatever the service does', async () => {
    const took: number[] = []
    // The fastest of three: a busy machine delays some.
    for (let attempt = 0; attempt < 3; attempt++) {
      const fake = await fakeModels({
        script: [{ parts: [say('Half of an answer that stops')], flaw: { kind: 'silence' } }],
      })
      const { run, abort, entries, session } = await modelStage({ fake, wire })
      const spoke = breaking(session)
      const ended = run('Go.')
      await spoke
      const stoppedAt = performance.now()
      abort.abort(new Error('stopped'))
      await fake.until(([first]) => first?.isOpen === false)
      took.push(performance.now() - stoppedAt)
      expect(await ended).toMatchObject({ status: 'interrupted' })
      expect(told(await entries()).at(-2)).toMatch(/^assistant interrupted: Half/)
    }
    expect(Math.min(...took)).toBeLessThan(100)
  })
})

it('can be stopped while it waits to try again', async () => {
  const fake = await fakeModels({ script: [{ status: 429, retryAfter: { seconds: 200 } }] })
  const { run, abort } = await modelStage({ fake })
  const onActivity = (text: string) => {
    if (text === 'Waiting to try again') abort.abort(new Error('stopped'))
  }
  const startedAt = performance.now()
  expect(await run('Go.', { onActivity, graceMs: 30_000 })).toMatchObject({
    status: 'interrupted',
  })
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

describe('pings of a service', () => {
  const pinging = (more: { pings?: number; after?: number } = {}): Turn => ({
    parts: [say('A whole answer after a while.')],
    flaw: { kind: 'pings', ...more },
  })

  it('keep a connection alive while the answer is slow', async () => {
    const fake = await fakeModels({ script: [pinging({ pings: 40 })] })
    const timeouts = { firstChunkMs: 60_000, chunkMs: 1_000, answerMs: 60_000 }
    const { run, entries } = await modelStage({ fake, wire: 'chat', timeouts })
    await run('Go.')
    expect(told(await entries()).slice(1)).toEqual([
      'assistant complete: A whole answer after a while.',
      'end completed',
    ])
  })

  it('are not an answer: a request with only pings is repeated once, and its failure states that', async () => {
    const fake = await fakeModels({ script: [pinging(), pinging({ after: 0 }), pinging()] })
    const timeouts = { firstChunkMs: 60_000, chunkMs: 60_000, answerMs: 200 }
    const { run } = await modelStage({ fake, wire: 'chat', timeouts })
    expect(await run('Go.')).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'network', detail: 'the model stopped answering (after 2 attempts)' },
    })
    // On a busy machine the time of an attempt may be over before its request has arrived.
    expect(fake.requests.length).toBeLessThanOrEqual(2)
  })
})

describe.each(['anthropic', 'responses', 'google'] as const)('reasoning on the wire %s', (wire) => {
  const script: Turn[] = [
    [think('I look first.\n\nThen I think.'), call('read_file', { path: 'a' })],
    [say('Done.')],
  ]
  const shown = async (entries: () => Promise<Entry[]>) =>
    (await entries()).flatMap((entry) =>
      entry.type === 'message'
        ? entry.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
        : [],
    )

  it('is asked for, recorded and returned', async () => {
    const fake = await fakeModels({ script: [...script, [say('Still.')]] })
    const { run, entries } = await modelStage({ fake, wire })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect((await shown(entries)).join('\n\n')).toBe('I look first.\n\nThen I think.')
    expect(await run('And?')).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
  })

  it('continues without it if the service refuses to return it, and records that', async () => {
    const message =
      wire === 'responses'
        ? 'Your organization must be verified to generate reasoning summaries.'
        : 'Thinking is not supported by this model'
    const fake = await fakeModels({ script: [{ status: 400, message }, ...script] })
    const { run, entries } = await modelStage({ fake, wire })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect(await shown(entries)).not.toContain('I look first.')
    const retried = (await entries()).find(({ type }) => type === 'retrying')
    expect(JSON.stringify(retried)).toContain('its reasoning is not shown')
    expect(fake.refused).toEqual([])
  })
})

it('returns reasoning that it may not see, after a resume too', async () => {
  const hidden = think('Hidden.', { redacted: true })
  const script: Turn[] = [[hidden, call('read_file', { path: 'a' })], [say('Done.')], [say('Yes.')]]
  const fake = await fakeModels({ script })
  const { run } = await modelStage({ fake })
  expect(await run('Go.')).toMatchObject({ status: 'completed' })
  expect(await run('And?')).toMatchObject({ status: 'completed' })
  expect(fake.refused).toEqual([])
  const [, inRun, afterwards] = fake.requests.map(({ body }) => JSON.stringify(body))
  expect(inRun).toContain('redacted_thinking')
  expect(afterwards).toContain('redacted_thinking')
})
