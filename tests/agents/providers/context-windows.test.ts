/** The context windows that servers report, against the fake of those servers. */
import { expect, it, onTestFinished } from 'vitest'
import { createContextWindows } from '../../../src/main/agents/providers/context-windows.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import type { ModelServer } from '../../fake-models/model-servers.ts'
import type { Model } from '../../fake-models/models.ts'

const key = 'no-key'
const model: Model = {
  id: 'qwen3',
  wires: ['chat'],
  contextChars: 4 * 32_768,
  maxOutputTokens: 8_000,
}
const set = { id: 'set', wires: ['chat'], contextChars: 4 * 8_192, maxOutputTokens: 8_000 } as const

async function askedOf(server: ModelServer, models: Model[] = [model]) {
  const fake = await startFakeModels({ script: [[]], key, models, server })
  onTestFinished(() => fake.stop())
  let now = 0
  const windows = createContextWindows({ keyOf: async () => key, clock: () => now })
  const ref = {
    provider: 'openai-compatible',
    model: model.id,
    baseUrl: fake.baseURLs.chat,
  } as const
  return {
    fake,
    window: (over: { model?: string; baseUrl?: string } = {}) => windows.of({ ...ref, ...over }),
    pass: (ms: number) => {
      now += ms
    },
    /** As the first request of an agent does. */
    load: () =>
      fetch(`${fake.baseURLs.chat}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: model.id, messages: [{ role: 'user', content: 'Hi' }] }),
      }),
  }
}

it.each(['vllm', 'openrouter'] as const)('reads it in the list of models of %s', async (server) => {
  const { fake, window } = await askedOf(server)
  expect(await window()).toEqual({ tokens: 32_768, tokensMax: null })
  expect(fake.refused).toEqual([])
  expect(await window({ baseUrl: `${fake.baseURLs.chat}/` })).toMatchObject({ tokens: 32_768 })
})

it.each(['lm-studio', 'ollama'] as const)(
  'reads what %s could run a model with, and once it has loaded it, with what it does',
  async (server) => {
    const { window, pass, load } = await askedOf(server)
    expect(await window()).toEqual({ tokens: null, tokensMax: 4 * 32_768 })
    await load()
    // Not again for each turn.
    expect(await window()).toMatchObject({ tokens: null })
    pass(60_001)
    expect(await window()).toMatchObject({ tokens: 32_768 })
  },
)

it('is unknown for a model that the server lacks, a server that reports none, and no server', async () => {
  const nothing = { tokens: null, tokensMax: null }
  for (const server of ['plain', 'ollama', 'lm-studio', 'vllm'] as const) {
    const { window } = await askedOf(server)
    expect(await window({ model: 'other' })).toEqual(nothing)
  }
  const { window } = await askedOf('plain')
  expect(await window()).toEqual(nothing)
  expect(await window({ baseUrl: 'http://127.0.0.1:1/v1' })).toEqual(nothing)
})

it('uses the window that a model of Ollama was created with', async () => {
  const answers: Record<string, object> = {
    '/v1/models': { data: [{ id: set.id }] },
    '/api/ps': { models: [] },
    '/api/show': { parameters: 'num_ctx    8192\nstop "x"', model_info: { 'q.context_length': 9 } },
  }
  const windows = createContextWindows({
    keyOf: async () => null,
    fetch: async (url) => {
      const answer = answers[new URL(String(url)).pathname]
      return new Response(JSON.stringify(answer ?? null), { status: answer ? 200 : 404 })
    },
  })
  const ref = { provider: 'openai-compatible', model: set.id, baseUrl: 'http://server/v1' } as const
  expect(await windows.of(ref)).toEqual({ tokens: 8_192, tokensMax: 9 })
})
