/** Whole conversations on every wire, against services that refuse what the real ones refuse. */
import { describe, expect, it } from 'vitest'
import { call, say, think } from '../../fake-models/script.ts'
import { fakeModels, modelStage, told, wires } from './model-stage.ts'

describe.each(wires)('a model on the wire %s', (wire) => {
  it('[G5] works over several turns and runs, and the service refuses nothing', async () => {
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
      ...{ fake, wire },
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

  it('[S3] is resumed after its process died in a call, and the service refuses nothing', async () => {
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
      ...{ fake, wire },
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
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('outcome is unknown')
  })

  it('goes on where a model of another provider was', async () => {
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

  it('counts what it used', async () => {
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
