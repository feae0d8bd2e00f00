import { describe, expect, it } from 'vitest'
import { Interruption } from '../../src/main/runs/interruption.ts'
import type { AgentPlace } from '../../src/shared/agents/driver/agent-place.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { failing as fails, type PlayedRun, playedAgent, speech } from './played-agent.ts'
import { endOf, messagesOf, playing, says, stage } from './run-stage.ts'

describe('[G2] a run ends whatever its agent does', () => {
  const stopped = new Interruption({ kind: 'stopped', by: 'person' })
  const never = new Promise<never>(() => undefined)
  const outcomes = (entries: Entry[]) =>
    entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.outcome] : []))

  it.each([
    ['never speaks again', async () => never],
    ['goes on without a word', async () => new Promise((resolve) => setTimeout(resolve, 600_000))],
  ] as const)('although it was stopped and %s', async (_, hang) => {
    const { play, abort, entries } = await stage()
    const outcome = await play(
      async function* () {
        yield* says('before')
        abort.abort(stopped)
        await hang()
      },
      { graceMs: 5 },
    )
    expect(outcome).toMatchObject({ status: 'interrupted', cause: stopped.why })
    expect(messagesOf(await entries())).toMatchObject([{ status: 'interrupted' }])
    expect(endOf(await entries())).toMatchObject({ type: 'run-end', status: 'interrupted' })
  })

  it('with its session asked to end its turn and closed, also when neither answers', async () => {
    const { play, abort, entries } = await stage()
    const asked: string[] = []
    const agent = playedAgent(
      async function* () {
        yield* says('before')
        abort.abort(stopped)
        await never
      },
      {
        cancel: () => {
          asked.push('cancel')
          return never
        },
        close: () => {
          asked.push('close')
          return never
        },
      },
    )
    const outcome = await play(() => playing([]), { openAgent: agent, graceMs: 5 })
    expect(outcome).toMatchObject({ status: 'interrupted', cause: stopped.why })
    expect(asked).toEqual(['cancel', 'close'])
    expect(endOf(await entries())).toMatchObject({ type: 'run-end', status: 'interrupted' })
  })

  it('although it never came up', async () => {
    const { play, abort, entries } = await stage()
    const closed = Promise.withResolvers<void>()
    const late = playedAgent(() => playing([]), { close: async () => closed.resolve() })
    const opening = Promise.withResolvers<AgentPlace>()
    const openAgent = (place: AgentPlace) => {
      abort.abort(stopped)
      return opening.promise.then(() => late(place))
    }
    const outcome = play(() => playing([]), { openAgent, graceMs: 5 })
    expect(await outcome).toMatchObject({ status: 'interrupted', cause: stopped.why })
    expect(endOf(await entries())).toMatchObject({ type: 'run-end', status: 'interrupted' })
    opening.resolve({} as AgentPlace)
    await closed.promise
  })

  it('although it floods, and leaves time for others meanwhile', async () => {
    const { play, abort, entries } = await stage()
    const most = 300_000
    let said = 0
    const outcome = await play(
      async function* () {
        yield { type: 'turn-started' }
        setTimeout(() => abort.abort(stopped), 1)
        while (said < most) {
          said++
          yield speech('word ')
        }
      },
      { graceMs: 5 },
    )
    expect(outcome).toMatchObject({ status: 'interrupted', cause: stopped.why })
    expect(said).toBeLessThan(most)
    const [message] = messagesOf(await entries())
    const text = message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    expect(text?.length).toBeGreaterThan(0)
    expect('word '.repeat(said).startsWith(text ?? 'nothing')).toBe(true)
  })

  it('although it does not return when it is told to', async () => {
    const { play, abort } = await stage()
    const outcome = await play(
      () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            abort.abort(stopped)
            return never
          },
          return: () => never,
        }),
      }),
      { graceMs: 5 },
    )
    expect(outcome).toMatchObject({ status: 'interrupted', cause: stopped.why })
  })

  it('with one turn for calls that it makes side by side before anything else', async () => {
    const { play, entries } = await stage({ parentId: null })
    const gitBranch = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return 'main'
    }
    await play(
      async function* ({ callTool }) {
        await Promise.all(['a', 'b', 'c'].map((path) => callTool('read_file', { path })))
        yield { type: 'turn-ended' }
      },
      { gitBranch },
    )
    const all = await entries()
    expect(messagesOf(all)).toMatchObject([{ turn: 1, parts: [{}, {}, {}] }])
    expect(outcomes(all)).toEqual(['ok', 'ok', 'ok'])
  })

  it('with calls settled before its end that it did not wait for, also when the tool does not end', async () => {
    const { play, entries } = await stage({ parentId: null })
    const begun = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    const asked: Promise<unknown>[] = []
    const aborted: unknown[] = []
    await play(
      async function* ({ callTool }) {
        const call = callTool('bash', { command: 'make' })
        asked.push(call.catch(() => undefined))
        await begun.promise
        yield speech('Done.')
      },
      {
        graceMs: 5,
        runTool: async (_name, _input, { signal }) => {
          signal.addEventListener('abort', () => aborted.push(signal.reason))
          begun.resolve()
          await late.promise
          return { outcome: 'ok', output: 'made' }
        },
      },
    )
    const types = (await entries()).map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['tool-result', 'message', 'run-end'])
    expect(aborted).toHaveLength(1)
    late.resolve()
    await Promise.all(asked)
    expect(outcomes(await entries())).toEqual(['unknown'])
  })

  it('with its tools stopped when it fails or is lost while one is at work', async () => {
    for (const end of ['fails', 'is lost']) {
      const { play, entries } = await stage()
      const begun = Promise.withResolvers<void>()
      const stoppedTools: string[] = []
      const outcome = await play(
        async function* ({ callTool }) {
          void callTool('bash', { command: 'make' }).catch(() => undefined)
          await begun.promise
          if (end === 'is lost') throw new Error('connection lost')
          yield fails('No.')
        },
        {
          runTool: (name, _input, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                stoppedTools.push(name)
                reject(signal.reason)
              })
              begun.resolve()
            }),
        },
      )
      expect([end, outcome.status]).toEqual([end, end === 'fails' ? 'failed' : 'interrupted'])
      expect(stoppedTools).toEqual(['bash'])
      expect(outcomes(await entries())).toEqual(['unknown'])
      expect((await entries()).at(-1)?.type).toBe('run-end')
    }
  })

  it('without beginning a tool that it asked for at its very end', async () => {
    const { play, entries } = await stage({ parentId: null })
    const begun: string[] = []
    await play(
      async function* ({ callTool }) {
        yield* says('Done.')
        void callTool('bash', { command: 'make' }).catch(() => undefined)
      },
      {
        runTool: async (name) => {
          begun.push(name)
          return { outcome: 'ok', output: '' }
        },
      },
    )
    expect(begun).toEqual([])
    expect(outcomes(await entries())).toEqual(['unknown'])
  })

  it('and records nothing that it does afterwards', async () => {
    const { play, entries } = await stage({ parentId: null })
    let input: PlayedRun | undefined
    await play(async function* (given) {
      input = given
      yield* says('Done.')
    })
    const before = await entries()
    await expect(input?.callTool('bash', { command: 'rm -rf .' })).rejects.toThrow('ended')
    expect(await entries()).toEqual(before)
  })
})
