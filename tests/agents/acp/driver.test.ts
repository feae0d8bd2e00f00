import { describe, expect, it } from 'vitest'
import { allProcessStats } from '../../../src/main/processes/stat.ts'
import { noticeOf } from '../../../src/shared/projections/transcript/agent-notices.ts'
import { call, callUpdate, ended, textChunk, thought } from '../../acp-agent/script.ts'
import { messagesOf } from '../../runs/run-stage.ts'
import { acpStage, asking } from './acp-stage.ts'

/** A process that ended may wait for its parent as a zombie. */
const livingOf = async (pids: number[]): Promise<number[]> => {
  const stats = await allProcessStats()
  return pids.filter((pid) => stats.some((one) => one.pid === pid && one.isAlive))
}

describe('a run of an installed agent', () => {
  it('is recorded as the agent reports it, turn by turn, in the mode in which it asks', async () => {
    const { run, entries, sent, log } = await acpStage()
    const outcome = await run({
      modes: asking,
      prompts: [
        [
          thought('Look first.'),
          textChunk('I write ', 'm1'),
          textChunk('it.', 'm1'),
          call('w1', { title: 'Write a.txt', kind: 'edit', rawInput: {} }),
          callUpdate('w1', { rawInput: { path: 'a.txt' }, title: 'Write a.txt now' }),
          callUpdate('w1', {
            status: 'completed',
            content: [{ type: 'diff', path: 'a.txt', oldText: null, newText: 'one\n' }],
          }),
          textChunk('Done.', 'm2'),
          { late: { sessionUpdate: 'a_new_kind', value: 1 } },
          ended(),
        ],
      ],
    })
    expect(outcome).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 20 },
    })
    const all = await entries()
    expect(
      messagesOf(all).map(({ parts }) =>
        parts.map((part) => ('text' in part ? part.text : part.type)),
      ),
    ).toEqual([['Look first.', 'I write it.', 'tool-call'], ['Done.']])
    // [G6] What one turn of the prompt used is not known, and is not 0.
    expect(messagesOf(all).map(({ usage }) => usage)).toMatchObject([null, { inputTokens: 20 }])
    expect(all).toContainEqual(
      expect.objectContaining({
        type: 'tool-result',
        outcome: 'ok',
        output: 'Changed a.txt.',
        detail: expect.objectContaining({ kind: 'edit', change: 'created', additions: 1 }),
        revised: { title: 'Write a.txt now', input: { path: 'a.txt' } },
      }),
    )
    expect(all.filter(({ type }) => type === 'foreign')).toMatchObject([
      { content: { sessionUpdate: 'a_new_kind', value: 1 } },
    ])
    expect(all.find(({ type }) => type === 'agent-session')).toMatchObject({
      ref: { agent: expect.stringMatching(/^acp:/) },
    })
    expect(await sent('session/set_mode')).toMatchObject([{ modeId: 'asking' }])
    const [{ started = 0 } = {}] = await log()
    expect(await livingOf([started])).toEqual([])
  })

  it('reports its start, with each piece of a conversation that it replays', async () => {
    const started: string[] = []
    const { run, task } = await acpStage()
    const script = {
      modes: asking,
      capabilities: { loadSession: true },
      prompts: [[textChunk('Hello.'), ended()]],
    }
    const onStarting = (agent: string) => started.push(agent)
    await run(script, { onStarting })
    expect(started).toEqual(['node'])
    const replay = [1, 2, 3].map((n) => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `${n}` },
    }))
    await run({ ...script, replay }, { onStarting, run: 2, task })
    expect(started).toHaveLength(1 + 1 + 3)
  })

  it('sets the session options that it offers, and reports those that it does not', async () => {
    const { run, entries, sent, notices } = await acpStage({
      options: { model: 'small', fast: true, effort: 'high' },
    })
    const select = { type: 'select', options: [{ value: 'large' }, { value: 'small' }] }
    await run({
      modes: asking,
      configOptions: [
        { ...select, id: 'model', name: 'Model', category: 'model', currentValue: 'large' },
        { type: 'boolean', id: 'fast', name: 'Fast', currentValue: true },
      ],
      prompts: [[textChunk('Done.'), ended()]],
    })
    expect(await sent('session/set_config_option')).toMatchObject([
      { configId: 'model', value: 'small' },
    ])
    expect(notices).toEqual([expect.stringContaining('does not offer "high" for "effort"')])
    expect(messagesOf(await entries())).toMatchObject([{ model: 'small' }])
  })

  it.each([
    [
      'signed out',
      { signedOut: 'session/new' as const, prompts: [] },
      { kind: 'sign-in', detail: expect.stringContaining('not signed in') },
    ],
    [
      'gone in a turn, with the end of its error output',
      { prompts: [[textChunk('Half'), { stderr: 'out of memory\n' }, { exit: 3 }]] },
      { kind: 'agent-died', exitCode: 3, signal: null, detail: 'out of memory' },
    ],
    [
      'sending a line that is too long',
      { prompts: [[textChunk('Half'), { lineOfBytes: 34_000_000 }, { never: true as const }]] },
      { kind: 'error', detail: expect.stringContaining('limit') },
    ],
  ])('[G7] is interrupted with its cause: %s', async (_, script, cause) => {
    const { run, entries } = await acpStage()
    expect(await run(script)).toMatchObject({ status: 'interrupted', cause })
    expect((await entries()).at(-1)).toMatchObject({ type: 'run-end', cause })
  })

  it('[P4] is interrupted by a refusal that ends its turn, with the refused call as cause', async () => {
    const ask = {
      toolCallId: 'b1',
      title: 'rm -r out',
      kind: 'execute',
      rawInput: { command: 'rm -r out' },
    }
    const { run } = await acpStage({ mode: 'ask' })
    const ended = await run({
      prompts: [[{ ask, rejected: [{ end: { stopReason: 'cancelled' } }] }]],
    })
    expect(ended).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'permission-denied', detail: expect.stringContaining('rm -r out') },
    })
  })

  it('loses nothing of a flood, and continues after invalid messages', async () => {
    const { run, entries } = await acpStage()
    const count = 3_000
    await run({ prompts: [[{ line: 'not json' }, { line: '[1]' }, { flood: count }, ended()]] })
    const [said] = messagesOf(await entries()).flatMap(({ parts }) => parts)
    const lines = Array.from({ length: count }, (_, n) => `${n}\n`).join('')
    expect(said).toMatchObject({ type: 'text', text: lines })
  })

  it('ends its turn even if the client dropped a call without closing it', async () => {
    const turn = new AbortController()
    let call = () => {}
    const { run, entries } = await acpStage({
      openTools: async ({ host }) => {
        const asked = { name: 'task_await', input: { tasks: 'all' } }
        call = () => void host.callTool(asked, { stopWaiting: turn.signal })
        return {
          bridge: () => ({ name: 'shiplog', command: '', args: [], env: [] }),
          entry: { type: 'http', name: 'shiplog', url: 'http://127.0.0.1:1/', headers: [] },
          connect() {},
          received: () => true,
          reported: () => false,
          stopWaiting() {},
          listed: async () => true,
          close: async () => {},
          turnEnded: () => turn.abort(),
        }
      },
    })
    let signs = 0
    const outcome = await run(
      { prompts: [[textChunk('Waiting.'), { ask: { toolCallId: 'a' } }, ended()]] },
      {
        // The session, the turn, and then its text.
        onProgress() {
          signs++
          if (signs === 3) call()
        },
        async runTool(_, __, { stopWaiting }) {
          await new Promise((resolve) => stopWaiting?.addEventListener('abort', resolve))
          return { outcome: 'ok', output: 'Still running.' }
        },
      },
    )
    expect(outcome.status).toBe('completed')
    const types = (await entries()).map(({ type }) => type)
    expect(types.indexOf('tool-result')).toBeGreaterThan(0)
    expect(types.indexOf('tool-result')).toBeLessThan(types.lastIndexOf('message'))
  })

  it('[G2] leaves no process behind after a stop, even in another group', async () => {
    const { run, abort, log, sent } = await acpStage()
    let signs = 0
    const running = run(
      { prompts: [[{ leaves: true }, textChunk('Working.'), { untilCancelled: true }]] },
      {
        // The session, the turn, and then its text.
        onProgress: () => {
          signs++
          if (signs === 3) abort.abort(new Error('stopped'))
        },
      },
    )
    expect(await running).toMatchObject({ status: 'interrupted' })
    expect(await sent('session/cancel')).toHaveLength(1)
    const pids = (await log()).flatMap(({ left, started }) =>
      [left, started].filter((pid) => pid !== undefined),
    )
    expect(pids).toHaveLength(2)
    expect(await livingOf(pids)).toEqual([])
  })

  it('answers requests by the mode and the rules, once and never for always', async () => {
    const { run, log, entries } = await acpStage({ mode: 'ask' })
    const checked: unknown[] = []
    await run(
      {
        prompts: [
          [
            {
              ask: {
                toolCallId: 'b1',
                title: 'npm test',
                kind: 'execute',
                rawInput: { command: ['bash', '-lc', 'npm test'] },
              },
              allowed: [callUpdate('b1', { status: 'completed', rawOutput: 'ok' })],
            },
            {
              ask: {
                toolCallId: 'b2',
                title: 'rm',
                kind: 'execute',
                rawInput: { command: 'rm -rf /' },
              },
              rejected: [callUpdate('b2', { status: 'failed' })],
            },
            ended(),
          ],
        ],
      },
      {
        permissions: {
          mode: 'ask',
          isNarrowed: () => false,
          check: async ({ name, input }) => {
            checked.push([name, input])
            const isTest = (input as { command: string }).command === 'npm test'
            return {
              verdict: isTest
                ? { kind: 'allow', by: 'rule', rule: 'bash: npm test' }
                : { kind: 'ask', reasons: [], proposal: [] },
              action: { kind: 'command', tool: name, text: 'shown', directory: '/' },
              folders: [],
            }
          },
          ask: async () => ({ kind: 'denied', message: '' }),
        },
      },
    )
    expect((await log()).flatMap(({ answered }) => answered ?? [])).toEqual([
      { outcome: 'selected', optionId: 'allow_once-id' },
      { outcome: 'selected', optionId: 'reject_once-id' },
    ])
    expect(checked[0]).toEqual(['bash', { command: 'npm test' }])
    const all = await entries()
    expect(
      all.flatMap((entry) => (entry.type === 'permission' ? [entry.answer?.by ?? null] : [])),
    ).toEqual(['rule', null, 'person'])
    expect(all.flatMap((entry) => (entry.type === 'tool-result' ? [entry.outcome] : []))).toEqual([
      'ok',
      'error',
    ])
  })

  it.each([[[]], [['allow_always', 'reject_once']], [['postpone']]])(
    '[P4] refuses a request that offers only %j, and does not record that it was allowed',
    async (options) => {
      const { run, log, entries } = await acpStage()
      const asked = {
        toolCallId: 'b1',
        title: 'npm test',
        kind: 'execute',
        rawInput: { command: 'npm test' },
      }
      await run({ prompts: [[{ ask: asked, options }, textChunk('Done.'), ended()]] })
      expect((await log()).flatMap(({ answered }) => answered ?? [])).toEqual([
        options.includes('reject_once')
          ? { outcome: 'selected', optionId: 'reject_once-id' }
          : { outcome: 'cancelled' },
      ])
      const all = await entries()
      expect(all.filter(({ type }) => type === 'permission')).toEqual([])
      const refusal = all.find((entry) => entry.type === 'foreign')
      expect(refusal && noticeOf(refusal)?.text).toContain('asked to do “npm test” and offered no')
    },
  )

  it('[G4] compares what a loaded session replays with the record, and records only the differences', async () => {
    const { run, entries, notices } = await acpStage()
    const said = (text: string) => textChunk(text) as { update: object }
    const first = [
      textChunk('One. '),
      call('a', { title: 'ls', kind: 'execute', status: 'completed' }),
      call('b', { title: 'make', kind: 'execute' }),
      textChunk('Two.'),
    ]
    const capabilities = { loadSession: true }
    const script = { capabilities, modes: asking }
    await run({ ...script, prompts: [[...first, { exit: 1 }]] })
    const resume = { run: 2, reason: 'resume' as const, prompt: { text: '', images: [] } }
    const asked = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Go' } }
    const calls = ['a', 'b'].map((toolCallId) => ({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'make',
      status: 'completed',
    }))
    const same = [asked, said('One.').update, calls[0], said('Two.').update] as object[]
    const prompts = [[textChunk('Three.'), ended()]]
    await run({ ...script, replay: same, prompts }, resume)
    const foreign = async () =>
      (await entries()).flatMap((entry) => (entry.type === 'foreign' ? [entry.content] : []))
    expect([await foreign(), notices]).toEqual([[], []])
    const more = [...same, ...calls.slice(1), said('Three. And four.').update]
    await run({ ...script, replay: more, prompts }, { ...resume, run: 3 })
    expect(await foreign()).toMatchObject([
      {
        replay: {
          sentences: [
            expect.stringContaining('continues with'),
            expect.stringContaining('has completed'),
          ],
          onlyAgent: { text: expect.stringContaining('And four.'), calls: [{ callId: 'b' }] },
        },
      },
    ])
    expect(notices).toEqual([expect.stringContaining('continues with text')])
    const texts = messagesOf(await entries()).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    )
    expect(texts).toEqual(['One. ', 'Two.', 'Three.', 'Three.'])
  })

  it('gives a new session the messages and calls in the order in which they happened', async () => {
    const { run, sent } = await acpStage()
    const ran = (id: string, title: string) =>
      call(id, {
        title,
        kind: 'execute',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: `ran ${id}` } }],
      })
    const first = [textChunk('I look.'), ran('a', 'ls'), textChunk('I build.'), ran('b', 'make')]
    const cut = [textChunk('And again.'), call('c', { title: 'rm', kind: 'execute' }), { exit: 1 }]
    await run({ modes: asking, prompts: [[...first, ...cut]] })
    const prompt = { text: 'More', images: [] }
    await run({ modes: asking, prompts: [[textChunk('Yes.'), ended()]] }, { run: 2, prompt })
    const [note] = (await sent('session/prompt')).at(-1)?.prompt ?? []
    expect(note?.text.split('\n').slice(2)).toEqual([
      ...['User: Go', 'You: I look.', '[ls: ok] ran a', 'You: I build.', '[make: ok] ran b'],
      ...['You: And again.', expect.stringMatching(/^\[rm: unknown\]/)],
    ])
  })

  it('[T3] uses the last message of a sub-agent as its report', async () => {
    const { run, entries } = await acpStage({ isSubAgent: true })
    await run({ prompts: [[textChunk('All is well.'), ended()]] })
    expect(await entries()).toContainEqual(
      expect.objectContaining({
        type: 'tool-call',
        name: 'agent_report',
        input: expect.objectContaining({ markdown: expect.stringContaining('All is well.') }),
      }),
    )
  })
})
