/** `shiplog agent setup`: in a terminal, and for scripts. */
import { expect, it } from 'vitest'
import { runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

const lists = { openai: ['gpt-6.1-sol', 'gpt-5.2'], studio: ['qwen3-coder'] }
const models = (more: object = {}) => createFakeShiplog({ models: { lists, ...more } })
const stateOf = async (fake: ReturnType<typeof models>) => fake.shiplog.client.models.providers()

it('asks in a terminal for a provider, its key without showing it, and a model', async () => {
  const fake = models()
  const cli = startCli(['agent', 'setup'], { fake, stdinText: '', stderrTTY: true })
  await cli.said('A number, or a name')
  cli.type('2\n')
  await cli.said('not shown:')
  cli.type('sk-typed-secret\n')
  await cli.said('a number or a name (empty')
  cli.type('1\n')
  const { code, stdout, stderr } = await cli.ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('New agents are offered openai/gpt-6.1-sol.')
  expect(stderr).not.toContain('sk-typed-secret')
  const { providers, defaultModel } = await stateOf(fake)
  expect(defaultModel).toBe('openai/gpt-6.1-sol')
  expect(providers.find(({ name }) => name === 'openai')?.key).toMatchObject({ from: 'stored' })
})

it('asks again, saying why, for a number that is not in the list, and an address that can’t be used', async () => {
  const fake = models()
  const cli = startCli(['agent', 'setup', '--no-test'], { fake, stdinText: '', stderrTTY: true })
  await cli.said('A number, or a name')
  cli.type('9\n')
  await cli.said('dots and dashes.\nA number, or a name')
  cli.type('studio\n')
  await cli.said('Its address')
  cli.type('127.0.0.1:1234\n')
  await cli.said('http://127.0.0.1:11434/v1.\nIts address')
  cli.type('http://127.0.0.1:1234/v1\n')
  await cli.said('not shown:')
  cli.type('\n')
  await cli.said('a number or a name (empty')
  cli.type('7\n')
  await cli.said('from 1 to 1, or the name of a model.\nThe model')
  cli.type('1\n')
  expect((await cli.ended).code).toBe(0)
  expect((await stateOf(fake)).defaultModel).toBe('studio/qwen3-coder')
})

it('uses a key of the environment after the user agreed', async () => {
  const fake = models({ env: { OPENAI_API_KEY: 'k' } })
  const cli = startCli(['agent', 'setup', 'openai', '--model', 'gpt-5.2', '--no-test'], {
    fake,
    stdinText: '',
    stderrTTY: true,
  })
  await cli.said('Use the key in OPENAI_API_KEY?')
  cli.type('y\n')
  expect((await cli.ended).code).toBe(0)
  const { providers } = await stateOf(fake)
  expect(providers.find(({ name }) => name === 'openai')?.key).toEqual({
    from: 'environment',
    variable: 'OPENAI_API_KEY',
  })
})

it('sets up a local server in a script, with the key from standard input', async () => {
  const fake = models()
  const { code, stdout } = await runToEnd(
    [
      'agent',
      'setup',
      'studio',
      '--base-url',
      'http://127.0.0.1:1234/v1',
      '--key-stdin',
      '--model',
      'qwen3-coder',
      '--context-tokens',
      '32768',
      '--json',
    ],
    { fake, stdinEnd: 'piped-secret\n' },
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    provider: 'studio',
    model: 'studio/qwen3-coder',
    test: { outcome: 'ok' },
  })
  expect(stdout).not.toContain('piped-secret')
  const { providers } = await stateOf(fake)
  expect(providers.at(-1)).toMatchObject({
    name: 'studio',
    key: { from: 'stored' },
    contextTokens: 32_768,
  })
})

it('keeps the default model and exits with 1 if the new one can’t be used', async () => {
  const fake = models({ test: { outcome: 'failed', why: 'refused the key (401)' } })
  const args = ['agent', 'setup', 'openai', '--model', 'gpt-5.2', '--key-stdin']
  const { code, stderr } = await runToEnd(args, { fake, stdinEnd: 'key' })
  expect(code).toBe(1)
  expect(stderr).toContain("openai/gpt-5.2 can't be used: refused the key (401)")
  expect(stderr).toContain('openai stays set up; the model of new agents did not change.')
  expect((await stateOf(fake)).defaultModel).toBe(null)
})

it.each([
  [[], 'Name the provider'],
  [['nowhere'], 'There is no provider "nowhere" yet. Give the address of a server with --base-url'],
  [['openai', '--key-env', 'sk-1'], 'never a key'],
  [['openai', '--key-stdin'], 'Standard input was empty'],
  [['anthropic', '--no-test'], 'needs a key, and none was given'],
  [['cladue-code'], 'Agents that can be set up: codex'],
  [['studio', '--base-url', 'ftp://x'], 'http or https'],
  [['studio', '--base-url', '127.0.0.1:1234/v1'], 'The address must be an http or https address'],
])('says what is missing without a terminal: %j', async (args, said) => {
  const { code, stderr } = await runToEnd(['agent', 'setup', ...args], {
    fake: models(),
    stdinEnd: '',
  })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) })
})

it('names the command that chooses a model where none was named', async () => {
  const { code, stderr } = await runToEnd(
    ['agent', 'setup', 'studio', '--base-url', 'http://127.0.0.1:1234/v1'],
    { fake: models(), stdinEnd: '' },
  )
  expect(code).toBe(0)
  expect(stderr).toContain('shiplog agent setup studio --model NAME')
})
