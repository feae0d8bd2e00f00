/** What `agent list`, `agent test` and `demo` print: for people, and as the documents of CLI.md. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ProviderEntry } from '../../../src/shared/agents/provider-settings.ts'
import { runToEnd } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'
import { createFamily, jsonOf } from '../family.ts'

let fake: FakeShiplog

beforeEach(() => {
  ;({ fake } = createFamily())
})

const run = (...argv: string[]) => runToEnd(argv, { fake })
const document = (...argv: string[]) => jsonOf(fake, argv)

describe('agent list and demo', () => {
  const models = {
    entries: [
      { name: 'ollama', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
    ] satisfies ProviderEntry[],
    lists: { ollama: ['qwen3:8b', 'llama4'] },
  }

  it.each([
    [
      { outcome: 'ok', answer: '', ms: 1240, callsTools: true, contextTokens: null },
      0,
      'ollama/qwen3 answered in 1.2 s and calls tools.\n',
    ],
    [
      { outcome: 'ok', answer: 'Hi', ms: 90, callsTools: false, contextTokens: null },
      1,
      'ollama/qwen3 answered in 0.1 s. It called no tool, so an agent can’t work with it. Choose another model.\n',
    ],
    [
      { outcome: 'ok', answer: '', ms: 90, callsTools: true, contextTokens: 4_096 },
      0,
      'ollama/qwen3 answered in 0.1 s. Its server runs it with a context window of 4,096 tokens, which is too small for an agent. Set 32,000 or more there.\n',
    ],
    [
      { outcome: 'failed', why: 'refused \u001b[31mthe key (401)' },
      1,
      "ollama/qwen3 can't be used: refused ␛[31mthe key (401)\n",
    ],
  ] as const)('agent test says what the model showed', async (test, code, said) => {
    const fake = createFakeShiplog({ models: { ...models, test } })
    const asked = await runToEnd(['agent', 'test', 'ollama/qwen3'], { fake })
    expect(asked).toMatchObject({ code, stdout: said })
    const { stdout } = await runToEnd(['agent', 'test', 'ollama/qwen3', '--json'], { fake })
    expect(JSON.parse(stdout)).toEqual({ model: 'ollama/qwen3', test })
  })

  describe('agent test', () => {
    const testing = (argv: string[], more: object = {}) =>
      runToEnd(['agent', 'test', ...argv], {
        fake: createFakeShiplog({ models: { ...models, ...more } }),
      })

    it('lists the models of a provider that is given alone', async () => {
      const { code, stderr } = await testing(['ollama'])
      expect(code).toBe(2)
      expect(stderr).toContain('Name a model of ollama: ollama/qwen3:8b, ollama/llama4.')
    })

    it('lists the providers if there is none of that name', async () => {
      const { code, stderr } = await testing(['foo'])
      expect(code).toBe(2)
      expect(stderr).toContain(
        'There is no provider "foo". There are anthropic, openai, google and ollama.',
      )
      expect(stderr).toContain('shiplog agent setup')
    })

    it('lists the models of a provider that refuses another', async () => {
      const test = { outcome: 'failed', why: 'no such model (404)' } as const
      const { code, stdout, stderr } = await testing(['ollama/qwen'], { test })
      expect({ code, stdout }).toEqual({
        code: 1,
        stdout: "ollama/qwen can't be used: no such model (404)\n",
      })
      expect(stderr).toContain('ollama has ollama/qwen3:8b, ollama/llama4.')
    })

    it('tests the default model unless another is named', async () => {
      const given = await testing([], { defaultModel: 'ollama/llama4' })
      expect(given.stdout).toContain('ollama/llama4 answered')
      const none = await testing([])
      expect(none.code).toBe(2)
      expect(none.stderr).toContain('no default model')
    })

    it('states that a scenario needs no model', async () => {
      const { code, stderr } = await testing(['scripted'])
      expect(code).toBe(0)
      expect(stderr).toContain('needs no model')
    })
  })

  it('agent list', async () => {
    expect((await run('agent', 'list')).stdout).toContain('✓ can run')
    const { agents } = await document('agent', 'list')
    expect(agents[0]).toMatchObject({ kind: 'scripted', available: true })
  })

  it('demo: says where the project is, and with --json prints one document', async () => {
    const fakeOfDemo = () => {
      const fresh = createFakeShiplog()
      fresh.onStart(async (root) => {
        fresh.spawn(root)
        fresh.report(root, 'Shown', 'That was it.')
        fresh.complete(root)
      })
      return { fake: fresh }
    }
    const forPeople = await runToEnd(['demo', '--dir', 'here'], fakeOfDemo())
    expect(forPeople).toMatchObject({ code: 0, stdout: 'That was it.\n' })
    expect(forPeople.stderr).toContain('/code/here')
    const { code, stdout } = await runToEnd(['demo', '--json'], fakeOfDemo())
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'result',
      status: 'completed',
      report: { title: 'Shown' },
      project: { dir: '/data/demo' },
    })
  })
})
