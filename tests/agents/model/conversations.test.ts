/** Whole conversations on every wire, against services that refuse what the real ones refuse. */
import { describe, expect, it } from 'vitest'
import type { PermissionOutcome } from '../../../src/shared/agents/permissions.ts'
import { call, say, think } from '../../fake-models/script.ts'
import { fakeModels, modelStage, told, wires } from './model-stage.ts'

describe.each(wires)('a model on the wire %s', (wire) => {
  it('[G5] works over several turns and runs, without a refusal of the service', async () => {
    const fake = await fakeModels({
      script: [
        [
          think('Two files.'),
          say('I look.'),
          call('read_file', { path: 'a' }),
          call('read_file', { path: 'b' }),
        ],
        [think('One more.'), call('bash', { command: 'ls' })],
        [say('Done.')],
        [think('Again.'), call('bash', { command: 'pwd' })],
        [say('Still done.')],
      ],
    })
    const { run, entries, calls } = await modelStage({
      fake,
      wire,
      answer: ({ name }) => `output of ${name}`,
    })
    expect(await run('Look around.')).toMatchObject({ status: 'completed' })
    expect(await run('Once more.')).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
    expect(fake.unused()).toEqual({})
    expect(calls.map(({ name }) => name)).toEqual(['read_file', 'read_file', 'bash', 'bash'])
    const lines = told(await entries()).filter((line) => line.startsWith('assistant'))
    expect(lines.map((line) => line.replaceAll(/\([^)]*\) /g, ''))).toEqual([
      'assistant complete: I look. [read_file] [read_file]',
      'assistant complete: [bash]',
      'assistant complete: Done.',
      'assistant complete: [bash]',
      'assistant complete: Still done.',
    ])
  })

  it('[S3] is resumed after its process was killed in a call, without a refusal of the service', async () => {
    const fake = await fakeModels({
      script: [
        [
          think('Hm.'),
          say('I try.'),
          call('read_file', { path: 'a' }),
          call('bash', { command: 'make' }),
        ],
        [say('I see.')],
      ],
    })
    const { run, entries, abort, calls } = await modelStage({
      fake,
      wire,
      answer: ({ name }) => {
        if (name === 'bash') abort.abort(new Error('killed'))
        return name === 'bash' ? new Promise<string>(() => {}) : 'A'
      },
    })
    expect(await run('Build it.', { graceMs: 5 })).toMatchObject({ status: 'interrupted' })
    const signal = new AbortController().signal
    expect(await run('', { signal })).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
    expect(calls.map(({ name }) => name)).toEqual(['read_file', 'bash'])
    expect(told(await entries()).at(-2)).toBe('assistant complete: I see.')
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('Interrupted during this call')
  })

  it('continues the conversation of another provider’s model', async () => {
    const fake = await fakeModels({
      script: [
        [think('Hm.'), say('I look.'), call('read_file', { path: 'a' })],
        [say('Seen.')],
        [think('Now me.'), call('read_file', { path: 'b' })],
        [say('Seen too.')],
      ],
    })
    const { run } = await modelStage({ fake, wire })
    const other = wire === 'google' ? 'anthropic' : 'google'
    expect(await run('Look.')).toMatchObject({ status: 'completed' })
    expect(await run('And you?', { wire: other })).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
  })

  it('counts its usage', async () => {
    const fake = await fakeModels({ script: [[say('Yes.')], [say('Yes again.')]] })
    const { run } = await modelStage({ fake, wire })
    const { usage } = await run('Well?')
    expect(usage).toMatchObject({ complete: true, inputTokens: expect.any(Number) })
    expect(usage.inputTokens).toBeGreaterThan(500)
    expect(usage.outputTokens).toBeGreaterThan(0)
    const again = (await run('Again?')).usage
    // What stayed the same was read from the cache of the provider, where it says so.
    if (wire === 'anthropic') expect(again.cacheReadTokens).toBeGreaterThan(500)
  })
})

it('asks OpenAI to keep nothing, because what it keeps expires before the record', async () => {
  const fake = await fakeModels({ script: [[say('Done.')]] })
  const { run } = await modelStage({ fake, wire: 'responses' })
  await run('Go.')
  expect(fake.requests.map(({ body }) => body)).toMatchObject([{ store: false }])
})

describe('a model', () => {
  it('[T3] is asked for a report once as a sub-agent; otherwise its last message counts as one, marked so', async () => {
    const fake = await fakeModels({ script: [[say('I looked.')], [say('It is fine.')]] })
    const { run, calls, entries } = await modelStage({ fake, isRoot: false })
    expect(await run('Look.')).toMatchObject({ status: 'completed' })
    expect(calls).toEqual([
      {
        name: 'agent_report',
        callId: expect.any(String),
        input: {
          title: expect.any(String),
          markdown: expect.stringMatching(/ended without a report.*It is fine\./s),
        },
      },
    ])
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('Call agent_report now')
    expect(told(await entries()).at(-2)).toBe('assistant complete: It is fine. [agent_report]')
  })

  it('[T3] reports on request, and keeps its own report', async () => {
    const report = { title: 'Fine', markdown: 'All of it.' }
    const fake = await fakeModels({ script: [[say('I looked.')], [call('agent_report', report)]] })
    const { run, calls } = await modelStage({ fake, isRoot: false })
    expect(await run('Look.')).toMatchObject({ status: 'completed' })
    expect(calls.map(({ input }) => input)).toEqual([report])
  })

  it('asks after a number of turns whether to continue', async () => {
    const fake = await fakeModels({
      script: ({ turn }) => [turn < 6 ? call('list_files', {}) : say('Done.')],
    })
    const { run, calls, entries } = await modelStage({ fake, stepsMax: 4 })
    const answering = (outcome: PermissionOutcome) => ({
      permissions: {
        mode: 'ask' as const,
        isNarrowed: () => false,
        check: async () => null,
        ask: async () => outcome,
      },
    })
    expect(await run('Go.', answering({ kind: 'nobody' }))).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'permission-denied' },
    })
    expect(calls).toHaveLength(4)
    const allowed = answering({ kind: 'allowed', by: 'person' })
    expect(await run('', allowed)).toMatchObject({ status: 'completed' })
    expect(calls).toHaveLength(6)
    const asked = (await entries()).flatMap((entry) =>
      entry.type === 'permission' ? [entry.question] : [],
    )
    expect(asked[0]).toContain('4 requests')
  })

  it('[S3] receives the results of its sub-agents after a resume, under the same call', async () => {
    const input = { agent: 'explore', title: 'Look', prompt: 'Look.' }
    const fake = await fakeModels({
      script: [
        [think('Ask.'), call('task', input), call('bash', { command: 'ls' })],
        [say('Good.')],
      ],
    })
    const { run, calls, abort } = await modelStage({
      fake,
      answer: ({ name }) => {
        if (calls.length > 1) return `the report of ${name}`
        abort.abort(new Error('killed'))
        return new Promise<string>(() => {})
      },
    })
    expect(await run('Go.', { graceMs: 5 })).toMatchObject({ status: 'interrupted' })
    const signal = new AbortController().signal
    expect(await run('', { signal })).toMatchObject({ status: 'completed' })
    expect(calls.map(({ name }) => name)).toEqual(['task', 'task'])
    expect(calls[0]?.callId).toBe(calls[1]?.callId)
    expect(fake.refused).toEqual([])
    const [, second] = fake.requests
    expect(JSON.stringify(second?.body)).toContain('the report of task')
    expect(JSON.stringify(second?.body)).not.toContain('Interrupted during this call')
  })

  it('gives every call a unique id, even if its provider repeats one', async () => {
    const list = call('list_files', {}, 'call_0')
    const fake = await fakeModels({ script: [[list], [list], [say('Done.')]] })
    const { run, calls } = await modelStage({ fake, wire: 'chat' })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2)
    expect(fake.refused).toEqual([])
  })

  it('states how the files changed while it was interrupted', async () => {
    const fake = await fakeModels({ script: [[say('Yes.')], [say('I see.')]] })
    const { run, entries } = await modelStage({ fake })
    await run('Go.')
    const drift = ['a.txt was changed by you.']
    const runId = (await entries())[0] as { runId?: never }
    const opening = [{ type: 'resume' as const, runId: runId.runId as never, drift }]
    await run('', { opening })
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('a.txt was changed by you.')
  })
})
