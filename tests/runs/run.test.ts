/** One run with an agent that the test plays: how it ends, and what of it is in the record. */

import { describe, expect, it } from 'vitest'
import { createToolRunner } from '../../src/main/agents/tools/tool-runner.ts'
import { createGit } from '../../src/main/git/index.ts'
import { createCustody } from '../../src/main/processes/custody.ts'
import { Interruption } from '../../src/main/runs/interruption.ts'
import type { Measured } from '../../src/main/runs/run-limits.ts'
import type { Session } from '../../src/main/sessions/session.ts'
import type { AgentEvent } from '../../src/shared/agents/driver/agent-events.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import { runIdOf, type ToolCallId } from '../../src/shared/records/ids.ts'
import { noUsage, unknownUsage } from '../../src/shared/records/usage.ts'
import { noLimits } from './no-limits.ts'
import { allOf, pastOf } from './past-of.ts'
import { failing as fails, type PlayedRun, speech } from './played-agent.ts'
import { endOf, id, messagesOf, playing, promptOf, says, stage } from './run-stage.ts'

describe('how a run ends', () => {
  it('[T3] a root is completed without a report, and a sub-agent has failed', async () => {
    const root = await stage({ parentId: null })
    expect(await root.play(() => playing(says('Done.')))).toMatchObject({ status: 'completed' })
    const child = await stage()
    const failed = { status: 'failed', cause: { kind: 'no-report' } }
    expect(await child.play(() => playing(says('Done.')))).toMatchObject(failed)
    expect(endOf(await child.entries())).toMatchObject({ type: 'run-end', run: 1, ...failed })
  })

  it('[T3] a sub-agent that reports is completed', async () => {
    const { play } = await stage()
    const outcome = await play(async function* ({ callTool }) {
      yield { type: 'turn-started' }
      await callTool('agent_report', {})
    })
    expect(outcome).toMatchObject({ status: 'completed', cause: null })
  })

  const report: EntryBody = {
    type: 'tool-result',
    messageUuid: crypto.randomUUID(),
    runId: runIdOf(id, 1),
    turn: 1,
    callId: 'call-1' as ToolCallId,
    name: 'agent_report',
    outcome: 'ok',
    output: '',
    durationMs: 1,
  } as EntryBody
  const ended = (status: 'failed' | 'interrupted'): EntryBody => ({
    type: 'run-end',
    runId: runIdOf(id, 1),
    run: 1,
    status,
    cause: { kind: 'error', detail: 'so' },
  })

  it.each([
    ['counts where the run was interrupted after it', 'interrupted', 'completed'],
    ['does not count where the run still failed', 'failed', 'failed'],
  ] as const)('[T3] a report of an earlier run %s', async (_, before, status) => {
    const { play } = await stage({ before: [report, ended(before)] })
    expect(await play(() => playing([]), { run: 2 })).toMatchObject({ status })
  })

  it('[J6] has a plan in the record before the call is answered, without secrets [K3]', async () => {
    const { play, entries, secrets } = await stage()
    secrets.learn([{ name: 'KEY', value: 'sk-live-0123456789abcdef' }])
    const items = [{ text: 'Use sk-live-0123456789abcdef', status: 'pending' }]
    await play(
      async function* ({ callTool }) {
        yield { type: 'turn-started' }
        await callTool('update_plan', { items })
      },
      {
        runTool: createToolRunner({
          custody: createCustody(''),
          filesOfGit: createGit().listFiles,
        }),
      },
    )
    const recorded = (await entries()).filter(
      ({ type }) => type === 'plan' || type === 'tool-result',
    )
    expect(recorded).toMatchObject([
      { type: 'plan', items: [{ text: 'Use [hidden: KEY]', status: 'pending' }] },
      { type: 'tool-result', outcome: 'ok' },
    ])
  })

  it("[T3] fails with the agent's own words, and keeps what it had said", async () => {
    const { play, entries } = await stage()
    const outcome = await play(() => playing([...says('Hm.'), fails('No.')]))
    expect(outcome).toMatchObject({ status: 'failed', cause: { kind: 'said', text: 'No.' } })
    expect(messagesOf(await entries())).toMatchObject([{ status: 'complete' }])
  })

  it('[T3] is interrupted by what the agent throws', async () => {
    const { play, entries } = await stage()
    const outcome = await play(async function* () {
      yield* says('half a sen')
      throw new Error('connection lost')
    })
    expect(outcome).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'error', detail: 'connection lost' },
    })
    expect(messagesOf(await entries())).toMatchObject([
      { status: 'interrupted', parts: [{ type: 'text', text: 'half a sen' }] },
    ])
    expect(endOf(await entries())).toMatchObject({ type: 'run-end', status: 'interrupted' })
  })

  it('[T3] is interrupted with the cause of the stop, whatever the agent says after it', async () => {
    const { play, abort, entries } = await stage()
    const outcome = await play(async function* () {
      yield* says('before')
      abort.abort(new Interruption({ kind: 'stopped', by: 'person' }))
      yield speech(' after')
      throw new Error('a consequence')
    })
    expect(outcome).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'stopped', by: 'person' },
    })
    const [message] = messagesOf(await entries())
    expect(message).toMatchObject({ parts: [{ text: 'before' }], status: 'interrupted' })
  })

  it('[T3] is interrupted by a stop although the agent takes no notice and ends well', async () => {
    const { play, abort } = await stage({ parentId: null })
    const outcome = await play(async function* () {
      yield* says('before')
      abort.abort(new Interruption({ kind: 'stopped', by: 'person' }))
    })
    expect(outcome).toMatchObject({
      status: 'interrupted',
      cause: { kind: 'stopped', by: 'person' },
    })
  })

  it('[J7] rejects where its end could not be recorded', async () => {
    const { play, session } = await stage()
    const append: Session['append'] = async (...bodies) => {
      if (bodies.some(({ type }) => type === 'run-end')) throw new Error('disk full')
      return session.append(...bodies)
    }
    const failing = Object.assign(Object.create(session), { append })
    await expect(play(() => playing([]), { session: failing })).rejects.toThrow('disk full')
  })
})

it('sums what its turns used, and is complete only when each of them said it', async () => {
  const used = { ...noUsage, inputTokens: 2, outputTokens: 1 }
  const turn = (usage: typeof used): AgentEvent[] => [...says('x'), { type: 'turn-ended', usage }]
  const { play } = await stage({ parentId: null })
  const whole = await play(() =>
    playing([...turn(used), ...turn({ ...used, costUsd: 0.5 as never })]),
  )
  expect(whole.usage).toEqual({
    ...noUsage,
    inputTokens: 4,
    outputTokens: 2,
    costUsd: 0.5,
    unpriced: true,
  })
  const second = await play(() => playing([...turn({ ...used, complete: false }), ...turn(used)]), {
    run: 2,
  })
  expect(second.usage).toMatchObject({ inputTokens: 4, complete: false })
})

it('does not call usage complete when a turn said nothing, or was cut short', async () => {
  const { play } = await stage({ parentId: null })
  const silent = await play(() => playing([...says('x'), { type: 'turn-ended' }]))
  expect(silent.usage).toEqual(unknownUsage)
  const unannounced = await play(() => playing([speech('x')]), { run: 3 })
  expect(unannounced.usage).toEqual(unknownUsage)
  const cut = await play(() => playing(says('x')), { run: 2 })
  expect(cut.usage).toEqual(unknownUsage)
})

it('[G6] knows that an agent without a model used nothing, however its run ended', async () => {
  const { play, task } = await stage({ parentId: null })
  const cut = await play(
    async function* () {
      yield* says('x')
      throw new Error('It broke.')
    },
    { task: { ...task, spec: { kind: 'scripted', scenario: '', source: '', agent: 'lead' } } },
  )
  expect(cut.usage).toEqual(noUsage)
})

it('shows that an attempt is made again, and what follows', async () => {
  const { play } = await stage()
  const shown: string[] = []
  const retrying: AgentEvent = { type: 'retrying', cause: { kind: 'crashed' }, untilMs: null }
  const onActivity = (activity: string) => void shown.push(activity)
  await play(() => playing([...says('x'), retrying, ...says('y')]), { onActivity })
  expect(shown.filter((text) => text !== 'Writing')).toEqual([
    'Thinking',
    'Waiting to try again',
    'Thinking',
  ])
})

it('[Q2] takes no model for one that does not say what it uses because a turn was cut short', async () => {
  const { play } = await stage({ parentId: null })
  const told: (Measured | undefined)[] = []
  const limits = {
    ...noLimits,
    used: (_: unknown, measured?: Measured) => void told.push(measured),
  }
  const retrying: AgentEvent = { type: 'retrying', cause: { kind: 'crashed' }, untilMs: null }
  const ended: AgentEvent = { type: 'turn-ended', usage: noUsage }
  await play(() => playing([...says('x'), retrying, ...says('y'), ended]), { limits })
  const all = { usd: true, tokens: true }
  expect(told).toEqual([all, all])
  await play(() => playing([...says('x'), { type: 'turn-ended' }]), { limits, run: 2 })
  expect(told.at(-1)).toEqual({ usd: false, tokens: false })
  // An agent that says what it cost, and not all that it used.
  const cost = { ...unknownUsage, costUsd: 1, pricedBy: 'agent' as const }
  await play(() => playing([...says('x'), { type: 'turn-ended', usage: cost }]), { limits, run: 3 })
  expect(told.at(-1)).toEqual({ usd: true, tokens: false })
})

it('[G6] counts the known usage of a turn that was interrupted or retried, and records it in the turn’s entry', async () => {
  const used = { ...noUsage, inputTokens: 5, unpriced: true }
  const usage: AgentEvent = { type: 'usage', usage: used, of: 'turn' }
  const retrying: AgentEvent = { type: 'retrying', cause: { kind: 'crashed' }, untilMs: null }
  const { play, entries } = await stage()
  const cut = await play(async function* () {
    yield* [...says('x'), usage]
    throw new Error('It broke.')
  })
  expect(cut.usage).toEqual(used)
  expect(messagesOf(await entries())).toMatchObject([{ status: 'interrupted', usage: used }])
  const again = await play(
    () =>
      playing([...says('x'), usage, retrying, ...says('y'), { type: 'turn-ended', usage: used }]),
    { run: 2 },
  )
  expect(again.usage).toEqual({ ...used, inputTokens: 10 })
})

it('[S3] gives the agent its lineage and history with every call answered, and counts the turns on', async () => {
  const call: EntryBody = {
    type: 'tool-call',
    messageUuid: crypto.randomUUID(),
    runId: runIdOf(id, 1),
    turn: 4,
    callId: 'call-1' as ToolCallId,
    name: 'bash',
    input: {},
  } as EntryBody
  const { play, entries } = await stage({ before: [call], parentId: null })
  const title = { type: 'title', title: 'Before' } as EntryBody
  const before = [{ v: 1, seq: 1, at: 1, parentUuid: null, ...title }] as unknown as Entry[]
  let given: Entry[] = []
  await play(
    async function* ({ history }) {
      given = await allOf(history.entries())
      yield* says('On.')
    },
    { run: 2, lineage: [pastOf(before)] },
  )
  expect(given.map(({ type }) => type)).toEqual(['title', 'tool-call', 'tool-result'])
  expect(given[2]).toMatchObject({ callId: 'call-1', outcome: 'unknown' })
  const recorded = await entries()
  expect(recorded.filter(({ type }) => type === 'tool-result')).toEqual([])
  expect(messagesOf(recorded)).toMatchObject([{ turn: 5 }])
})

it('[G9] reads nothing of what came before that nobody asks for', async () => {
  const { session, play, entries } = await stage({ parentId: null })
  await play(() => playing(says('Before.')))
  const refuse = () => expect.unreachable('all of it was read')
  let completed = 0
  await play(
    async function* ({ history }) {
      completed = history.completedTurns
      yield* says('On.')
    },
    { run: 2, session: { ...session, entries: refuse } as unknown as Session },
  )
  expect(completed).toBe(1)
  expect(messagesOf(await entries()).map(({ turn }) => turn)).toEqual([1, 2])
})

it('[K3] gives the agent the prompt that was recorded', async () => {
  const { play, secrets, entries } = await stage({ parentId: null })
  secrets.learn([{ name: 'API_KEY', value: 'q1W2e3R4t5-y6U7' }])
  let given = ''
  await play(
    async function* ({ prompt }) {
      given = prompt
      yield* says('Yes.')
    },
    { prompt: promptOf('Use q1W2e3R4t5-y6U7') },
  )
  const asked = (await entries()).find((entry) => entry.type === 'message')
  expect(given).toContain('[hidden: API_KEY]')
  expect(asked).toMatchObject({ role: 'user', parts: [{ type: 'text', text: given }] })
})

it('[T3] is interrupted by a cause that is not the agent’s own word', async () => {
  const { play } = await stage()
  const cause = { kind: 'network', detail: 'reset' } as const
  const outcome = await play(() => playing([...says('Hm.'), { type: 'failed', cause }]))
  expect(outcome).toMatchObject({ status: 'interrupted', cause })
})

it('returns what the agent’s own store called the conversation last', async () => {
  const { play } = await stage({ parentId: null })
  const ref = { agent: 'acp:some', id: 'one' }
  await play(() => playing([{ type: 'session', ref }, ...says('x')]))
  let given: PlayedRun['resume'] = null
  await play(
    async function* ({ resume }) {
      given = resume
      yield* says('y')
    },
    { run: 2 },
  )
  expect(given).toEqual(ref)
})
