/** A conversation that outgrows its model's context goes on by a summary, on every wire. */
import { describe, expect, it } from 'vitest'
import { unknownWindow } from '../../../src/main/agents/model/context-window.ts'
import { carriedOver, keptFrom } from '../../../src/main/agents/model/conversation/compaction.ts'
import { compactionLimit } from '../../../src/main/agents/model/conversation/conversation-size.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { call, type ScriptRequest, say, type Turn, think } from '../../fake-models/script.ts'
import { png } from '../../images.ts'
import { noLimits } from '../../runs/no-limits.ts'
import { promptOf } from '../../runs/run-stage.ts'
import { fakeModels, modelStage, told, wires } from './model-stage.ts'

const isSummaryRequest = ({ userTexts }: ScriptRequest) =>
  userTexts.at(-1)?.includes('Write that summary now') === true

/** Answers requests for a summary with one, and all others by their number. */
function script(turns: Turn[], summary: Turn = [say('## Task\nThe summary.')]) {
  let next = 0
  return (request: ScriptRequest): Turn =>
    isSummaryRequest(request) ? summary : (turns[next++] ?? [say('Done.')])
}

const compactions = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.type === 'compaction' ? [entry] : []))

/** About 10,000 tokens. */
const long = 'x'.repeat(30_000)
const look = (id: string) => [think('I look.'), call('read_file', { path: id }, id)]

describe.each(wires)('on the wire %s', (wire) => {
  it('[G5] summarises before the context is full, and keeps the last turn as it was', async () => {
    const fake = await fakeModels({ script: script([look('a'), look('b'), look('c')]) })
    const answer = ({ callId }: { callId: string }) => (callId === 'c' ? 'short' : long)
    const staged = await modelStage({ fake, wire, answer, contextTokens: 20_000 })
    expect(await staged.run('Fix the parser.')).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
    const entries = await staged.entries()
    const [compaction] = compactions(entries)
    expect(compaction?.summary).toContain('The summary.')
    expect(compaction?.summary).toContain('Fix the parser.')
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('The summary.')
    // The record keeps all of it.
    expect(told(entries).filter((line) => line === 'call read_file')).toHaveLength(3)
  })

  it('[G5] continues after a refusal of what is too long, and a resume goes by the summary', async () => {
    const fake = await fakeModels({
      script: script([look('a'), { promptTooLong: true }, look('b')]),
    })
    const staged = await modelStage({ fake, wire })
    expect(await staged.run('Fix the parser.')).toMatchObject({ status: 'completed' })
    const entries = await staged.entries()
    expect(compactions(entries)).toHaveLength(1)
    await staged.run('And the lexer.')
    const last = JSON.stringify(fake.requests.at(-1)?.body)
    expect(last).toContain('The summary.')
    expect(last).toContain('And the lexer.')
    expect(fake.refused).toEqual([])
  })
})

it('counts the usage of the summary, and records no turn for it', async () => {
  const fake = await fakeModels({ script: script([look('a'), { promptTooLong: true }]) })
  const { run, entries } = await modelStage({ fake })
  const { usage } = await run('Go.')
  const turns = (await entries()).flatMap((entry) =>
    entry.type === 'message' && entry.role === 'assistant' ? [entry.usage?.outputTokens ?? 0] : [],
  )
  expect(turns).toHaveLength(2)
  expect(usage.outputTokens).toBeGreaterThan(turns.reduce((sum, tokens) => sum + tokens, 0))
})

it('names the open plan, commands in the background and sub-agents after the summary', async () => {
  const plan = { items: [{ text: 'Cover the lexer', status: 'pending' }] }
  const fake = await fakeModels({
    script: script([
      [call('update_plan', plan, 'p')],
      [call('bash', { command: 'npm run watch', background: true }, 'b')],
      [call('bash', { command: 'sleep 9', background: true }, 'd')],
      [call('bash_kill', { id: 'b2' }, 'k')],
      [
        call(
          'task',
          { agent: 'explore', title: 'Map the code', prompt: 'Look.', background: true },
          't',
        ),
      ],
      { promptTooLong: true },
    ]),
  })
  let started = 0
  const { run, entries } = await modelStage({
    fake,
    answer: ({ name }) =>
      name === 'bash'
        ? `Started in the background as b${++started}.`
        : name === 'task'
          ? startedTask('Map the code', '01')
          : 'done',
  })
  await run('Go.')
  const [compaction] = compactions(await entries())
  expect(compaction?.summary).toContain('- [ ] Cover the lexer')
  expect(compaction?.summary).toContain('- b1: npm run watch')
  expect(compaction?.summary).not.toContain('sleep 9')
  expect(compaction?.summary).toContain('- Map the code')
})

const startedTask = (title: string, id: string) =>
  `Started in the background: "${title}" (explore), task 000000${id}-0000-4000-8000-000000000000. task_await gives its report.`

it('names the sub-agents of earlier runs whose reports are open, also after two compactions', async () => {
  const inBackground = (title: string, id: string) =>
    call('task', { agent: 'explore', title, prompt: 'Look.', background: true }, id)
  const fake = await fakeModels({
    script: script([
      [inBackground('Map', '01'), inBackground('Map the code', '02'), inBackground('Test', '03')],
      [call('task_await', { tasks: ['Map', 'Test'] }, 'w')],
      [say('They work.')],
      { promptTooLong: true },
      [say('Yes.')],
      { promptTooLong: true },
      [say('Still.')],
    ]),
  })
  const { run, entries } = await modelStage({
    fake,
    answer: ({ name, callId, input }) =>
      name === 'task'
        ? startedTask((input as { title: string }).title, callId)
        : '**Map** (explore, 00000001): completed\n\nA map.\n\n---\n\n**Test** (explore, 00000003): spawned',
  })
  await run('Go.')
  await run('Do they?')
  await run('And now?')
  const [first, second] = compactions(await entries())
  for (const one of [first, second]) {
    expect(one?.summary).toContain('- Map the code')
    expect(one?.summary).toContain('- Test')
    expect(one?.summary).not.toMatch(/- Map$/m)
  }
})

it('shows the images of the last prompt beside the summary, also after a resume', async () => {
  const fake = await fakeModels({
    script: script([{ promptTooLong: true }, [say('A dot.')], [say('Still.')]]),
  })
  const { session, run, entries } = await modelStage({ fake })
  const ref = { mediaType: 'image/png', ...(await session.storeBlob(png)) }
  await run('Go.', { prompt: { ...promptOf('What is this?'), images: [ref] } })
  await run('And now?')
  const [compaction] = compactions(await entries())
  expect(compaction?.images).toEqual([ref])
  const [, , after, resumed] = fake.requests
  for (const request of [after, resumed])
    expect(JSON.stringify(request?.body)).toContain(png.toString('base64'))
  expect(fake.refused).toEqual([])
})

it('repeats the user’s messages, however they begin, and none of Shiplog’s as theirs', async () => {
  const report = call('agent_report', { title: 'So far', markdown: 'Half.' })
  const fake = await fakeModels({ script: script([look('a'), { promptTooLong: true }, [report]]) })
  const { run, entries } = await modelStage({ fake, isRoot: false })
  let turns = 0
  const limits = { ...noLimits, isWrappingUp: () => turns++ > 0 }
  expect(await run('[ ] Fix the parser.', { limits })).toMatchObject({ status: 'completed' })
  const [compaction] = compactions(await entries())
  expect(compaction?.summary).toContain('[ ] Fix the parser.')
  expect(compaction?.summary).not.toContain('Wrap up now')
  // What it was to do in this turn stays.
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('[Wrap up now')
})

it('still asks for the report after a compaction in the turn of the request', async () => {
  const fake = await fakeModels({
    script: script([look('a'), [say('I looked.')], { promptTooLong: true }, [say('Fine.')]]),
  })
  const { run } = await modelStage({ fake, isRoot: false, contextTokens: 100 })
  await run('Go.')
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('Call agent_report now')
})

it('[G7] retries a summary visibly, and ends with advice if there is none', async () => {
  const fake = await fakeModels({
    script: script([look('a'), { promptTooLong: true }], { promptTooLong: true }),
  })
  const { run, entries } = await modelStage({ fake })
  const outcome = await run('Go.')
  expect(outcome).toMatchObject({ status: 'interrupted', cause: { kind: 'refused' } })
  expect(JSON.stringify(outcome.cause)).toContain('a model that takes more')
  expect(
    told(await entries()).filter((line) => line === 'retrying refused').length,
  ).toBeGreaterThan(1)
  expect(compactions(await entries())).toEqual([])
})

it('does not accept calls as a summary, and asks again without tools', async () => {
  let asked = 0
  const fake = await fakeModels({
    script: (request) => {
      if (!isSummaryRequest(request)) return request.turn === 0 ? look('a') : [say('Done.')]
      asked++
      return asked === 1 ? look('z') : [say('The summary.')]
    },
  })
  const { run, calls, entries } = await modelStage({ fake })
  const limits = { ...noLimits, takeCompaction: async () => compactionOnce() }
  let once = true
  function compactionOnce() {
    const now = once
    once = false
    return now
  }
  await run('Go.', { limits })
  expect(calls.map(({ callId }) => callId)).not.toContain('z')
  expect(compactions(await entries())[0]?.summary).toContain('The summary.')
})

it('does not accept a summary that was cut off', async () => {
  const summaries: Turn[] = [{ parts: [say('## Task\nHalf')], stop: 'length' }, [say('Whole.')]]
  const turns: Turn[] = [look('a'), { promptTooLong: true }, [say('Done.')]]
  const fake = await fakeModels({
    script: (request) => (isSummaryRequest(request) ? summaries : turns).shift() ?? [say('Done.')],
  })
  const { run, entries } = await modelStage({ fake })
  expect(await run('Go.')).toMatchObject({ status: 'completed' })
  const [compaction, ...more] = compactions(await entries())
  expect(compaction?.summary).toMatch(/^Whole\./)
  expect(more).toEqual([])
})

it('summarises on the user’s request, in the next turn', async () => {
  const fake = await fakeModels({ script: script([look('a'), [say('Done.')]]) })
  const { run, entries } = await modelStage({ fake })
  let turns = 0
  await run('Go.', { limits: { ...noLimits, takeCompaction: async () => ++turns === 2 } })
  expect(told(await entries())).toEqual([
    'user complete: Go.',
    'call read_file',
    'ok: done',
    expect.stringContaining('assistant complete'),
    'compaction',
    'assistant complete: Done.',
    'end completed',
  ])
  expect(fake.refused).toEqual([])
})

it('ends if the provider refuses every summary because of images', async () => {
  let asked = 0
  const fake = await fakeModels({
    script: (request) => {
      if (!isSummaryRequest(request))
        return request.turn === 0 ? look('a') : { promptTooLong: true }
      asked++
      // Stands in for a loop that would not end.
      if (asked > 20) return [say('The summary.')]
      return { status: 400, message: 'The model example-vision is not loaded' }
    },
  })
  const { run } = await modelStage({ fake })
  const { status, cause } = await run('Go.')
  expect(status).toBe('interrupted')
  expect(JSON.stringify(cause)).toContain('example-vision is not loaded')
  expect(asked).toBeLessThan(5)
})

it('uses the context window that was set or is reported, even if it is reported only after a request', async () => {
  const fake = await fakeModels({ script: script([look('a'), look('b')]) })
  const contextWindow = async () =>
    fake.requests.length > 0 ? { tokens: 24_000, tokensMax: null } : unknownWindow
  const { run, entries } = await modelStage({ fake, answer: () => long, contextWindow })
  await run('Go.')
  expect(compactions(await entries())).toHaveLength(1)
  expect(fake.refused).toEqual([])
})

it('keeps the last turns only if something is left to summarise, and if they are short', () => {
  const item = (text: string) => ({
    type: 'user' as const,
    parts: [{ type: 'text' as const, text }],
  })
  const conversation = [item('Go.'), item('And?'), item('Now?')]
  const starts = [0, 1, 2].map((index) => ({ index, seq: index + 1 }))
  expect(keptFrom(conversation, starts, 10_000)).toEqual({ index: 1, seq: 2 })
  expect(keptFrom(conversation, starts.slice(0, 1), 10_000)).toBeNull()
  expect(keptFrom([item('Go.'), item(long)], starts.slice(0, 2), 10_000)).toBeNull()
})

it('repeats every prompt that has no answer, else the last one', () => {
  const prompt = (text: string) => ({
    type: 'user' as const,
    parts: [{ type: 'text' as const, text }],
  })
  const [first, second, third] = [prompt('Go.'), prompt('And?'), prompt('Now?')]
  const turn = { type: 'turn' as const, parts: [], state: 'whole' as const }
  expect(carriedOver([first, turn, second, third]).prompts).toEqual([second, third])
  expect(carriedOver([first, second, turn]).prompts).toEqual([second])
})

it('assumes no larger window than the model could have', () => {
  const ref = { provider: 'openai-compatible', model: 'm' } as const
  const limit = (tokensMax: number | null) => compactionLimit(ref, { tokens: null, tokensMax })
  expect(limit(8_000)).toBeLessThan(8_000)
  expect(limit(1_000_000)).toBe(limit(null))
})

it('makes no summary that frees nothing, and gives advice once', async () => {
  const fake = await fakeModels({ script: script([look('a'), look('b'), [say('Done.')]]) })
  const { run, entries, notices } = await modelStage({ fake, contextTokens: 500 })
  await run('Go.')
  await run('And?')
  expect(compactions(await entries())).toEqual([])
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(/take about [\d,]+ of the 500 tokens.*Choose a model with a larger/)
})
