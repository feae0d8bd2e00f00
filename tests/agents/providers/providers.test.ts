import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Keychain } from '../../../src/main/agents/providers/key-store.ts'
import { createModelSettings } from '../../../src/main/agents/providers/model-settings.ts'
import type { KnownSecret } from '../../../src/main/secrets/masker.ts'
import type { ProviderEntry } from '../../../src/shared/agents/provider-settings.ts'
import { providersInMemory } from '../../fixtures/providers.ts'
import { temporaryDir } from '../../harness.ts'

const key = 'sk-ant-planted-0123456789'

/** Inverts each byte, so that the file does not show the text. */
const fakeKeychain = (isAvailable = true): Keychain => ({
  isAvailable: async () => isAvailable,
  encrypt: async (text) => Buffer.from(Buffer.from(text).map((byte) => byte ^ 0xff)),
  decrypt: async (bytes) => {
    const text = Buffer.from(bytes.map((byte) => byte ^ 0xff)).toString()
    if (!text.startsWith('sk-')) throw new Error('not encrypted here')
    return text
  },
})

async function settingsIn(
  dir: string,
  over: Partial<Parameters<typeof createModelSettings>[0]> = {},
) {
  const learnt: KnownSecret[] = []
  const warnings: string[] = []
  const models = await createModelSettings({
    files: { providers: join(dir, 'providers.json'), keys: join(dir, 'keys.json') },
    keychain: null,
    env: {},
    usesEnvironment: false,
    mask: (text) => text,
    learn: (secrets) => learnt.push(...secrets),
    onWarning: (text) => warnings.push(text),
    ...over,
  })
  const { providers } = models
  const keyOf = (name: string) => providers.list().find((one) => one.name === name)?.key
  return { models, providers, keyOf, learnt, warnings }
}

const anthropic = { name: 'anthropic', kind: 'anthropic' } as const
const local = {
  name: 'local',
  kind: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:11434/v1',
} as const

it('explains an invalid name or address, and names its field', async () => {
  const { providers } = await settingsIn(await temporaryDir())
  const refusal = (entry: object) =>
    expect(providers.save({ kind: 'openai-compatible', ...entry } as ProviderEntry, undefined))
      .rejects
  await refusal({ name: 'My Server!', baseUrl: 'http://127.0.0.1:1/v1' }).toMatchObject({
    failure: { kind: 'invalid', field: 'name', message: expect.stringContaining('lower-case') },
  })
  await refusal({ name: 'mine', baseUrl: 'localhost:11434' }).toMatchObject({
    failure: { field: 'baseUrl', message: expect.stringContaining('http://127.0.0.1:11434/v1') },
  })
})

it('stores the context window of a server, for its address only', async () => {
  const dir = await temporaryDir()
  const { providers } = await settingsIn(dir)
  await expect(providers.save({ ...local, contextTokens: 100 }, undefined)).rejects.toMatchObject({
    failure: {
      field: 'contextTokens',
      message: 'The context window must be at least 4,000 tokens.',
    },
  })
  await providers.save({ ...local, contextTokens: 32_768 }, undefined)
  const again = await settingsIn(dir)
  const { baseUrl, kind: provider } = local
  expect(again.providers.contextTokens({ provider, baseUrl })).toBe(32_768)
  expect(again.providers.contextTokens({ provider, baseUrl: 'http://127.0.0.1:1/v1' })).toBe(null)
  expect(again.providers.list().at(-1)).toMatchObject({ contextTokens: 32_768 })
})

it('[K1] stores a key in a file for this user only, and uses it for the origin of its provider only', async () => {
  const dir = await temporaryDir()
  const { providers, keyOf, learnt } = await settingsIn(dir)
  expect(keyOf('anthropic')).toEqual({ from: 'none', offered: null })
  await providers.save(anthropic, key)
  expect(keyOf('anthropic')).toEqual({ from: 'stored', where: 'file' })
  expect((await stat(join(dir, 'keys.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(dir, 'providers.json'), 'utf8')).not.toContain(key)
  expect(learnt.map(({ value }) => value)).toEqual([key])
  expect(await providers.get({ provider: 'anthropic' })).toBe(key)
  for (const baseUrl of ['https://example.org/v1', 'http://127.0.0.1:1/v1'])
    expect(await providers.get({ provider: 'anthropic', baseUrl })).toBeNull()
  expect(await providers.get({ provider: 'openai' })).toBeNull()

  const later = await settingsIn(dir)
  expect(await later.providers.get({ provider: 'anthropic' })).toBe(key)
  expect(later.learnt.map(({ value }) => value)).toEqual([key])
  await later.providers.remove('anthropic')
  expect(await readFile(join(dir, 'keys.json'), 'utf8')).not.toContain(key)
  expect(later.keyOf('anthropic')).toEqual({ from: 'none', offered: null })
})

it('[K1] encrypts a key if the host has a keychain, and reports a key that another host can’t read', async () => {
  const dir = await temporaryDir()
  const { providers } = await settingsIn(dir, { keychain: fakeKeychain() })
  await providers.save(anthropic, key)
  expect(await readFile(join(dir, 'keys.json'), 'utf8')).not.toContain(key)
  expect(await providers.get({ provider: 'anthropic' })).toBe(key)
  const command = await settingsIn(dir)
  expect(command.keyOf('anthropic')).toEqual({
    from: 'unreadable',
    why: 'it is in the keychain, which only the app can open',
  })
  expect(await command.providers.get({ provider: 'anthropic' })).toBeNull()
  const file = join(dir, 'keys.json')
  const whole = await readFile(file, 'utf8')
  await writeFile(file, whole.replace(/"value": "..../, '"value": "AAAA'))
  const moved = await settingsIn(dir, { keychain: fakeKeychain() })
  expect(moved.keyOf('anthropic')).toMatchObject({ from: 'unreadable' })
  const without = await settingsIn(dir, { keychain: fakeKeychain(false) })
  await without.providers.save(anthropic, key)
  expect(without.keyOf('anthropic')).toEqual({ from: 'stored', where: 'file' })
})

it('[K1] uses a key of the environment after the user agreed, or if a command names the model', async () => {
  const dir = await temporaryDir()
  const env = { GEMINI_API_KEY: key, OTHER: 'no key' }
  const app = await settingsIn(dir, { env })
  expect(app.keyOf('google')).toEqual({ from: 'none', offered: 'GEMINI_API_KEY' })
  expect(await app.providers.get({ provider: 'google' })).toBeNull()
  await app.providers.save(
    { name: 'google', kind: 'google', keyVariable: 'GEMINI_API_KEY' },
    undefined,
  )
  expect(app.keyOf('google')).toEqual({ from: 'environment', variable: 'GEMINI_API_KEY' })
  expect(await app.providers.get({ provider: 'google' })).toBe(key)
  const command = await settingsIn(await temporaryDir(), { env, usesEnvironment: true })
  expect(await command.providers.get({ provider: 'google' })).toBe(key)
  await expect(
    app.providers.save({ name: 'google', kind: 'google', keyVariable: 'MISSING' }, undefined),
  ).rejects.toMatchObject({ failure: { field: 'keyVariable' } })
})

it('[K1] sends the environment’s key to the provider’s own address only, and the right one of two at one origin', async () => {
  const env = { ANTHROPIC_API_KEY: key }
  const { providers, keyOf } = await settingsIn(await temporaryDir(), {
    env,
    usesEnvironment: true,
  })
  const baseUrl = 'https://proxy.example/v1'
  await providers.save({ name: 'proxy', kind: 'anthropic', baseUrl }, undefined)
  expect(keyOf('proxy')).toEqual({ from: 'none', offered: null })
  expect(await providers.get({ provider: 'anthropic', baseUrl })).toBeNull()
  const gateway = { kind: 'openai-compatible', provider: 'openai-compatible' } as const
  for (const team of ['a', 'b'])
    await providers.save(
      {
        name: `team-${team}`,
        kind: gateway.kind,
        baseUrl: `https://gateway.example/${team}/v1`,
      },
      `${key}-${team}`,
    )
  for (const team of ['b', 'a'])
    expect(await providers.get({ ...gateway, baseUrl: `https://gateway.example/${team}/v1` })).toBe(
      `${key}-${team}`,
    )
})

it('[K1] forgets a key when its provider gets another address', async () => {
  const { providers, keyOf } = await settingsIn(await temporaryDir())
  const router = { name: 'router', kind: 'openai-compatible' } as const
  await providers.save({ ...router, baseUrl: 'https://one.example/v1' }, key)
  await providers.save({ ...router, baseUrl: 'https://one.example/v2' }, undefined)
  expect(keyOf('router')).toMatchObject({ from: 'stored' })
  await providers.save({ ...router, baseUrl: 'https://two.example/v1' }, undefined)
  expect(keyOf('router')).toEqual({ from: 'none', offered: null })
})

it.each([
  ['a name of another kind', { ...anthropic, name: 'openai' }, undefined, 'name'],
  [
    'another address for a provider with its own',
    { ...anthropic, baseUrl: 'https://proxy.example/v1' },
    undefined,
    'baseUrl',
  ],
  ['no address', { name: 'local', kind: 'openai-compatible' }, undefined, 'baseUrl'],
  ['a key that would go unencrypted', { ...local, baseUrl: 'http://box.lan/v1' }, key, 'baseUrl'],
] as const)('refuses %s', async (_, entry, withKey, field) => {
  const { providers } = await settingsIn(await temporaryDir())
  await expect(providers.save(entry, withKey)).rejects.toMatchObject({ failure: { field } })
  expect(providers.list()).toHaveLength(3)
})

it('accepts a model by the name of an added provider', async () => {
  const { models, providers } = await settingsIn(await temporaryDir())
  expect(models.availability().available).toBe(false)
  await providers.save(local, undefined)
  expect(models.availability()).toEqual({ available: true, why: null })
  expect(providers.resolve('local/qwen3:8b')).toEqual({
    provider: 'openai-compatible',
    model: 'qwen3:8b',
    baseUrl: local.baseUrl,
  })
  expect(providers.resolve('anthropic/claude/x')).toEqual({
    provider: 'anthropic',
    model: 'claude/x',
  })
  expect(providers.resolve('openai-compatible/x')).toEqual({
    provider: 'openai-compatible',
    model: 'x',
  })
  for (const text of ['', 'local', 'local/', 'else/x', '/x'])
    expect(providers.resolve(text), text).toBeNull()
})

it.each(['providers.json', 'keys.json'])(
  'keeps a damaged %s aside, says so, and continues without it',
  async (name) => {
    const dir = await temporaryDir()
    await writeFile(join(dir, name), '{"version":1,')
    const { warnings, providers } = await settingsIn(dir)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`${name}.damaged-1`)
    expect(await readFile(join(dir, `${name}.damaged-1`), 'utf8')).toBe('{"version":1,')
    await providers.save(anthropic, key)
    expect(await providers.get({ provider: 'anthropic' })).toBe(key)
  },
)

it('keeps each of several concurrent changes', async () => {
  const dir = await temporaryDir()
  const { providers } = await settingsIn(dir)
  await Promise.all([
    providers.save(anthropic, key),
    providers.save({ name: 'openai', kind: 'openai' }, `${key}-2`),
    providers.save(local, undefined),
    providers.setDefaults({ defaultModel: 'anthropic/claude-opus-5-5' }),
    providers.setDefaults({ subAgentModel: 'local/qwen3' }),
  ])
  const later = await settingsIn(dir)
  expect(later.providers.list().map(({ name, key: { from } }) => `${name} ${from}`)).toEqual([
    'anthropic stored',
    'openai stored',
    'google none',
    'local none',
  ])
  expect(later.providers.defaults()).toEqual({
    defaultModel: 'anthropic/claude-opus-5-5',
    subAgentModel: 'local/qwen3',
  })
  await expect(providers.setDefaults({ subAgentModel: 'nobody/x' })).rejects.toMatchObject({
    failure: { kind: 'invalid', field: 'subAgentModel' },
  })
})

it('[K1] takes a key from the variable that an agent names, for https and this machine only', async () => {
  const providers = providersInMemory({ env: { MY_ACCESS: ' sk-0123456789 ' } })
  const get = (baseUrl: string, keyEnv = 'MY_ACCESS') =>
    providers.get({ provider: 'openai-compatible', baseUrl, keyEnv })
  expect(await get('https://models.example/v1')).toBe('sk-0123456789')
  expect(await get('http://127.0.0.1:8080/v1')).toBe('sk-0123456789')
  expect(await get('http://models.example/v1')).toBeNull()
  expect(await get('https://models.example/v1', 'OTHER')).toBeNull()
  // Nobody else gets it, at the same address either.
  expect(
    await providers.get({ provider: 'openai-compatible', baseUrl: 'https://models.example/v1' }),
  ).toBeNull()
})
