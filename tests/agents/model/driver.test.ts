/** What a driver of models decides before it asks one: specs, keys, prices and instructions. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelUsage } from 'ai'
import { streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { createModelDriver } from '../../../src/main/agents/model/driver.ts'
import { instructionsFor } from '../../../src/main/agents/model/instructions.ts'
import { usageOf } from '../../../src/main/agents/model/pricing.ts'
import { openModel } from '../../../src/main/agents/model/providers.ts'
import { createFilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import type { ModelRef } from '../../../src/shared/agents/model-refs.ts'
import { providersInMemory } from '../../fixtures/providers.ts'
import { temporaryDir } from '../../harness.ts'

const driverWith = (env: NodeJS.ProcessEnv = {}) =>
  createModelDriver({
    access: { keys: providersInMemory({ env, usesEnvironment: true }) },
    facts: async () => ({ branch: null, isClean: null, files: null, topLevel: null }),
    mask: createMasker(),
    onNotice: () => {},
  })
/** What a session directory would hold. */
const filesOf = (kept: { name: string; text: string }[]) => ({
  read: async (name: string) =>
    kept.find((file) => file.name === name)?.text ?? Promise.reject(new Error('gone')),
})

describe('a spec', () => {
  it('[K1] keeps the variable of its key for another model at the same address only', async () => {
    const driver = driverWith()
    const dir = await temporaryDir()
    const { spec, files } = await driver.prepare(
      { kind: 'model', model: 'openai/gpt-6.1-sol', keyEnv: 'MY_ACCESS' },
      dir,
    )
    expect(spec).toMatchObject({ keyEnv: 'MY_ACCESS' })
    const sub = await driver.subAgent(spec, 'explore', { dir, files: filesOf(files) })
    expect(sub.spec).toMatchObject({ keyEnv: 'MY_ACCESS' })
    expect(driver.withModel(spec, 'openai/other')).toMatchObject({ keyEnv: 'MY_ACCESS' })
    expect(driver.withModel(spec, 'anthropic/claude-opus-5-5')).not.toHaveProperty('keyEnv')
    await expect(
      driver.prepare({ kind: 'model', model: 'openai/x', keyEnv: 'sk-not-a-name' }, dir),
    ).rejects.toThrow('must be the name of an environment variable')
    const baseUrl = 'https://models.example/v1'
    const elsewhere = { kind: 'model' as const, model: 'openai/gpt-6.1-sol', baseUrl }
    const there = await driver.prepare({ ...elsewhere, keyEnv: 'MY_ACCESS' }, dir)
    // The other model is the provider's own: the key is not for it.
    expect(driver.withModel(there.spec, 'openai/other')).not.toHaveProperty('keyEnv')
  })

  it('keeps the address of a server of one’s own for another model', async () => {
    const driver = driverWith()
    const baseUrl = 'http://127.0.0.1:11434/v1'
    const choice = { kind: 'model' as const, model: 'openai-compatible/one', baseUrl }
    const { spec } = await driver.prepare({ ...choice, keyEnv: 'MY_ACCESS' }, await temporaryDir())
    const other = driver.withModel(spec, 'openai-compatible/two')
    expect(other).toMatchObject({ model: 'two', baseUrl, keyEnv: 'MY_ACCESS' })
    expect(driver.withModel(spec, 'openai/gpt-6.1-sol')).not.toHaveProperty('baseUrl')
  })

  it('can’t start without the definition that it was started with', async () => {
    const driver = driverWith({ ANTHROPIC_API_KEY: 'k' })
    const { spec } = await driver.prepare({ kind: 'model', model: 'anthropic/a' }, '/')
    expect(await driver.check(spec, filesOf([]))).toMatchObject({
      state: 'unavailable',
      cause: { kind: 'not-started', detail: 'gone' },
    })
  })

  it('names provider, model and address, and is the same for sub-agents', async () => {
    const dir = await temporaryDir()
    const { spec, title, files } = await driverWith().prepare(
      {
        kind: 'model',
        model: 'openai-compatible/qwen/qwen3-coder',
        baseUrl: 'http://127.0.0.1:11434/v1',
      },
      dir,
    )
    const model = {
      kind: 'model',
      provider: 'openai-compatible',
      model: 'qwen/qwen3-coder',
      baseUrl: 'http://127.0.0.1:11434/v1',
    }
    expect(spec).toEqual({ ...model, agent: 'lead', definition: expect.anything() })
    expect(title).toBe('openai-compatible/qwen/qwen3-coder')
    const place = { dir, files: filesOf(files) }
    const sub = await driverWith().subAgent(spec, 'review', place)
    expect(sub.spec).toMatchObject({ ...model, agent: 'review' })
    // Each names the version that plays, which is kept.
    const started = { ...sub, spec: sub.spec as typeof spec }
    for (const { spec: made, files: kept } of [{ spec, files }, started]) {
      expect(driverWith().filesOf(made)).toEqual(kept.map(({ name }) => name))
      expect(made.definition).toMatchObject({ source: 'built-in' })
      expect(kept[0]?.name).toBe(`agents/${made.definition?.sha256}.md`)
    }
    await expect(driverWith().subAgent(spec, 'nobody', place)).rejects.toThrow(
      'The agents are lead, explore, implement, review.',
    )
    await mkdir(join(dir, '.shiplog/agents'), { recursive: true })
    await writeFile(
      join(dir, '.shiplog/agents/tests.md'),
      '---\nname: tests\ndescription: Tests.\nagent: codex\n---\nTest it.\n',
    )
    const installed = await driverWith().subAgent(spec, 'tests', place)
    expect(installed.spec).toMatchObject({ kind: 'acp', program: 'codex', agent: 'tests' })
    expect(installed.files).toMatchObject([{ text: expect.stringContaining('Test it.') }])
  })

  it.each([
    ['claude-opus-5-5', undefined, 'There is no model "claude-opus-5-5"'],
    ['nobody/model', undefined, 'Providers: anthropic, openai, google, openai-compatible'],
    ['anthropic/', undefined, 'There is no model'],
    ['anthropic/claude-opus-5-5', 'file:///etc', 'The base URL must be an http or https address'],
    ['anthropic/claude-opus-5-5', 'http://me:secret@host/v1', 'must not contain a user name'],
  ])('is refused with advice: %s %s', async (model, baseUrl, message) => {
    const preparing = driverWith().prepare({ kind: 'model', model, baseUrl }, '/')
    await expect(preparing).rejects.toThrow(message)
  })

  it('[G7] can start with a key, or a server that needs none', async () => {
    const dir = await temporaryDir()
    const check = async (model: string, env: NodeJS.ProcessEnv, baseUrl?: string) => {
      const driver = driverWith(env)
      const { spec, files } = await driver.prepare({ kind: 'model', model, baseUrl }, dir)
      return driver.check(spec, filesOf(files))
    }
    expect(await check('anthropic/a', { ANTHROPIC_API_KEY: 'k' })).toEqual({ state: 'ready' })
    expect(await check('google/a', { GEMINI_API_KEY: 'k' })).toEqual({ state: 'ready' })
    expect(await check('openai/a', { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: ' ' })).toMatchObject({
      state: 'unavailable',
      cause: { kind: 'sign-in' },
    })
    expect(await check('openai/a', {}, 'http://127.0.0.1:1/v1')).toEqual({ state: 'ready' })
    expect(await check('openai-compatible/a', {})).toMatchObject({
      cause: { kind: 'not-started', detail: expect.stringContaining('--base-url') },
    })
    // A key that was named is needed, also where another server needs none.
    const driver = driverWith()
    const choice = { kind: 'model' as const, model: 'openai/a', baseUrl: 'http://127.0.0.1:1/v1' }
    const { spec, files } = await driver.prepare({ ...choice, keyEnv: 'MY_ACCESS' }, dir)
    expect(await driver.check(spec, filesOf(files))).toMatchObject({
      cause: { kind: 'sign-in', detail: expect.stringContaining('MY_ACCESS') },
    })
  })
})

describe('[K1] a key', () => {
  const secret = 'sk-only-for-its-own-provider'
  const env = { ANTHROPIC_API_KEY: secret, OPENAI_API_KEY: secret, GEMINI_API_KEY: secret }

  async function sent(ref: ModelRef, more: Partial<Response> = {}) {
    const requests: { url: string; headers: string; redirect: string | undefined }[] = []
    const { model } = await openModel(ref, {
      keys: providersInMemory({ env, usesEnvironment: true }),
      fetch: async (input, init) => {
        const headers = JSON.stringify([...new Headers(init?.headers).entries()])
        requests.push({ url: String(input), headers, redirect: init?.redirect })
        return new Response('{}', { status: 400, ...more })
      },
    })
    const { stream } = streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => undefined })
    for await (const _ of stream);
    return requests[0] ?? expect.unreachable()
  }

  it.each([
    ['anthropic', 'https://api.anthropic.com/v1/messages'],
    ['openai', 'https://api.openai.com/v1/responses'],
    ['google', 'https://generativelanguage.googleapis.com/v1beta/'],
  ] as const)('of %s goes to its own origin, and follows no redirect', async (provider, url) => {
    const { headers, redirect, ...request } = await sent({ provider, model: 'm' })
    expect(request.url).toContain(url)
    expect(request.url).not.toContain(secret)
    expect(headers).toContain(secret)
    expect(redirect).toBe('error')
  })

  it.each(['anthropic', 'openai', 'google', 'openai-compatible'] as const)(
    'is not sent to another address that a spec of %s names',
    async (provider) => {
      for (const baseUrl of ['http://127.0.0.1:9/v1', 'https://api.anthropic.com.evil.test/v1']) {
        const { url, headers } = await sent({ provider, model: 'm', baseUrl })
        expect(url.startsWith(`${baseUrl}/`)).toBe(true)
        expect(headers).not.toContain(secret)
      }
    },
  )
})

describe('[G6] usage', () => {
  const used = (inputTokens: number | undefined, outputTokens: number | undefined, read = 0) =>
    ({
      inputTokens,
      outputTokens,
      totalTokens: undefined,
      inputTokenDetails: { cacheReadTokens: read, cacheWriteTokens: 0 },
      outputTokenDetails: { reasoningTokens: 5 },
    }) as LanguageModelUsage
  const opus = { provider: 'anthropic', model: 'claude-opus-5-5' } as const
  const now = { atMs: Date.parse('2026-11-21T12:00:00Z') }

  it('is priced as an estimate, with cache reads for less', () => {
    const plain = usageOf(used(10_000, 100), opus, now)
    const cached = usageOf(used(10_000, 100, 9_000), opus, now)
    expect(plain).toMatchObject({ pricedBy: 'estimate', reasoningTokens: 5, complete: true })
    expect(plain.costUsd).toBeGreaterThan(0)
    expect(cached.costUsd).toBeGreaterThan(0)
    expect(cached.costUsd).toBeLessThan(plain.costUsd ?? 0)
  })

  it('has an unknown price, not zero, for an unlisted model', () => {
    const unknown = { provider: 'openai', model: 'no-such-model-at-all' } as const
    const proxied = { ...opus, baseUrl: 'http://127.0.0.1:4000/v1' }
    for (const model of [unknown, proxied, { ...opus, provider: 'openai-compatible' } as const])
      expect(usageOf(used(10, 1), model, now)).toMatchObject({ costUsd: null, unpriced: true })
  })

  it('has the provider’s price at the provider’s own address, in any spelling', () => {
    const baseUrl = 'https://API.anthropic.com:443/v1/'
    expect(usageOf(used(10, 1), { ...opus, baseUrl }, now).pricedBy).toBe('estimate')
  })

  it('is incomplete unless the provider reported all of it', () => {
    expect(usageOf(undefined, opus, now)).toMatchObject({ complete: false, costUsd: null })
    expect(usageOf(used(10, undefined), opus, now).complete).toBe(false)
  })
})

describe('instructions', () => {
  async function instructions(
    texts: Record<string, string>,
    over: Partial<Parameters<typeof instructionsFor>[0]> = {},
  ) {
    const cwd = await temporaryDir()
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(join(cwd, path, '..'), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    return instructionsFor({
      cwd,
      agent: 'lead',
      prompt: '',
      isSubAgent: false,
      platform: 'linux',
      date: '2026-11-22',
      facts: { branch: 'feature', isClean: false, files: Object.keys(texts), topLevel: cwd },
      inside: createFilesInside(),
      ...over,
    })
  }

  it.each([
    ['off', null, null, 'No sandbox'],
    ['writes', null, 'bwrap is missing', 'No sandbox: bwrap is missing'],
    ['writes-and-network', 'bubblewrap', null, 'temporary folders, no network'],
  ] as const)('say which sandbox there is: %s by %s', async (setting, program, why, said) => {
    const text = await instructions({}, { sandbox: { setting, program, why } })
    expect(text).toMatch(new RegExp(`^- Commands: .*${said}$`, 'm'))
  })

  it('state the place of the agent, and the project’s instructions, the nearest last', async () => {
    const text = await instructions({
      'docs/api/AGENTS.md': 'Nearest.',
      'CLAUDE.md': 'Not read beside the other.',
      'AGENTS.md': 'At the top.',
      'docs/CLAUDE.md': 'In between.',
      'src/main.ts': 'No instructions.',
    })
    for (const fact of ['Git branch: feature', 'uncommitted changes', 'linux', '2026-11-22'])
      expect(text).toContain(fact)
    expect(text).not.toMatch(/Not read|No instructions/)
    const found = ['At the top.', 'In between.', 'Nearest.'].map((part) => text.indexOf(part))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found[0]).toBeGreaterThan(0)
    expect(text).toContain('Instructions for files in docs/api/')
  })

  it('include those of the folders above a project that is a part of a repository', async () => {
    const topLevel = await temporaryDir()
    const cwd = join(topLevel, 'packages', 'a')
    await mkdir(cwd, { recursive: true })
    const files = { '.': 'Of all.', packages: 'Of the packages.', 'packages/a': 'Of this one.' }
    for (const [folder, text] of Object.entries(files))
      await writeFile(
        join(topLevel, folder, folder === 'packages' ? 'CLAUDE.md' : 'AGENTS.md'),
        text,
      )

    const facts = { branch: 'main', isClean: true, files: ['AGENTS.md'], topLevel }
    const text = await instructions({}, { cwd, facts })
    const found = Object.values(files).map((part) => text.indexOf(part))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found[0]).toBeGreaterThan(0)
    expect(text).toContain('Instructions for files in ../../, from ../../AGENTS.md')
  })

  it('contain no file outside the project that a link leads to', async () => {
    const elsewhere = join(await temporaryDir(), 'private')
    await writeFile(elsewhere, 'A secret of the user.')
    const cwd = await temporaryDir()
    await symlink(elsewhere, join(cwd, 'AGENTS.md'))
    const facts = { branch: 'main', isClean: true, files: ['AGENTS.md'], topLevel: cwd }
    expect(await instructions({}, { cwd, facts })).not.toContain('A secret')
  })

  it('name files that are too long, and use only the top folder outside Git', async () => {
    const long = await instructions({ 'AGENTS.md': 'Short.', 'docs/AGENTS.md': 'x'.repeat(40_000) })
    expect(long).toContain('Read these before you change files in their folders: docs/AGENTS.md')
    const facts = { branch: null, isClean: null, files: null, topLevel: null }
    const outside = await instructions({ 'CLAUDE.md': 'At the top.' }, { facts })
    expect(outside).toMatch(/not a Git repository.*At the top\./s)
  })

  it('tell a sub-agent that only its report is seen', async () => {
    const text = await instructions({}, { isSubAgent: true, agent: 'explore' })
    expect(text).toMatch(/sub-agent \("explore"\).*agent_report/s)
  })
})
