import { hash } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { adapters } from '../../src/main/imports/adapters/adapters.ts'
import { atifAdapter } from '../../src/main/imports/adapters/atif/index.ts'
import { temporaryDir } from '../harness.ts'
import { writeFiles } from './claude-code-log.ts'
import { readSessions } from './read-session.ts'

const agent = (name: string) => ({ name, version: '1.2.3', model_name: 'some/model' })
const at = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, '0')}Z`

/** As another tool writes it: fields of its own, a sub-agent within a sub-agent, and a result in parts. */
const nested = {
  schema_version: 'ATIF-v1.7',
  session_id: 'run-7',
  trajectory_id: 'main',
  agent: { ...agent('planner'), tool_definitions: [{ type: 'function' }] },
  steps: [
    { step_id: 1, source: 'system', message: 'You plan.' },
    { step_id: 2, timestamp: at(2), source: 'user', message: [{ type: 'text', text: 'Find it' }] },
    {
      step_id: 3,
      timestamp: at(3),
      source: 'agent',
      message: 'I ask.',
      novel: { deep: 1 },
      reasoning_content: 'Who knows?',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'delegate', arguments: { to: 'sub' } }],
      observation: {
        results: [
          {
            source_call_id: 'c1',
            content: [{ type: 'text', text: 'It is a puffin.' }],
            subagent_trajectory_ref: [{ trajectory_id: 'sub', session_id: 'run-7' }],
          },
        ],
      },
      metrics: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 60, cost_usd: 0.01 },
    },
    {
      step_id: 4,
      source: 'system',
      message: 'Short.',
      extra: { context_management: { type: 'compaction', boundary: 'replace' } },
    },
    {
      step_id: 5,
      timestamp: at(9),
      source: 'agent',
      message: 'A puffin.',
      metrics: { prompt_tokens: 30, completion_tokens: 2, cost_usd: 0.03 },
    },
  ],
  subagent_trajectories: [
    {
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'sub',
      agent: agent('looker'),
      steps: [
        { step_id: 1, source: 'user', message: 'Look' },
        {
          step_id: 2,
          source: 'agent',
          message: '',
          tool_calls: [{ tool_call_id: 'c1', function_name: 'ask', arguments: {} }],
          observation: {
            results: [{ content: 'ok', subagent_trajectory_ref: [{ trajectory_id: 'subsub' }] }],
          },
        },
        { step_id: 3, source: 'agent', message: 'It is a puffin.' },
      ],
      subagent_trajectories: [
        {
          schema_version: 'ATIF-v1.7',
          trajectory_id: 'subsub',
          agent: agent('deep'),
          steps: [{ step_id: 1, source: 'agent', message: 'Deep.' }],
          final_metrics: { total_prompt_tokens: 7, total_completion_tokens: 3 },
        },
      ],
    },
  ],
}

async function read(files: Record<string, string>) {
  return readSessions(atifAdapter, await writeFiles(await temporaryDir(), files))
}
const lines = `${JSON.stringify(nested, null, 2)}\n`

it('[I2] takes the cost of sub-agents out of a total, where the steps have none', async () => {
  const trajectory = (id: string, total_cost_usd: number, below: object[] = []) => ({
    schema_version: 'ATIF-v1.7',
    trajectory_id: id,
    agent: agent(id),
    steps: [{ step_id: 1, source: 'agent', message: 'Done.' }],
    final_metrics: { total_prompt_tokens: 1, total_completion_tokens: 1, total_cost_usd },
    subagent_trajectories: below,
  })
  const costsOf = async (whole: object) =>
    (await read({ 'trajectory.json': JSON.stringify(whole) }))[0]?.tasks.map(
      ({ usage }) => usage.costUsd,
    )
  expect(
    await costsOf(
      trajectory('a', 7, [trajectory('b', 4, [trajectory('c', 1)]), trajectory('d', 2)]),
    ),
  ).toEqual([1, 3, 1, 2])
  expect(await costsOf(trajectory('a', 1, [trajectory('b', 4)]))).toEqual([1, 4])
})

it.each([
  ['in one line', JSON.stringify(nested)],
  ['indented', lines],
])(
  '[I2] reads a document of another tool %s: its sub-agents are linked, and unknown fields kept',
  async (_, text) => {
    const [one] = await read({ 'trajectory.json': text })
    if (!one) throw new Error('no document was found')
    expect(one.tasks).toMatchObject([
      {
        key: '',
        parentId: null,
        title: 'Find it',
        agent: 'planner',
        isComplete: true,
        usage: { inputTokens: 130, outputTokens: 22, cacheReadTokens: 60, costUsd: 0.04 },
        counts: { lines: 6, mapped: 5, foreign: 1, damaged: 0 },
      },
      { key: 'sub', callId: 'c1', agent: 'looker', report: 'It is a puffin.' },
      { key: 'subsub', callId: 'c1', report: 'Deep.', usage: { inputTokens: 7, outputTokens: 3 } },
    ])
    expect(one.tasks[2]?.parentId).toBe(one.tasks[1]?.id)
    expect(one.links).toEqual({ linked: 2, unlinked: 0, orphaned: 0, missing: 0 })
    const entries = one.entriesOf('')
    expect(entries.map(({ type }) => type)).toEqual([
      'run-start',
      'foreign',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'foreign',
      'compaction',
      'message',
      'foreign',
      'run-end',
    ])
    expect(entries[4]).toMatchObject({
      output: 'It is a puffin.',
      detail: { kind: 'tasks', tasks: [{ taskId: one.tasks[1]?.id, agent: 'looker' }] },
    })
    expect(JSON.stringify(entries)).toMatch(/"novel":\{"deep":1\}.*"tool_definitions"/)
  },
)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

it('[I1] shows images of prompts and results from the folder of the document, and names all others', async () => {
  const dir = await temporaryDir()
  const image = (path: string) => ({ type: 'image', source: { media_type: 'image/png', path } })
  const content = [
    ...[{ type: 'text', text: 'Look' }, image('images/one.png'), image('../outside.png')],
    ...[image('images/link.png'), image('images/none.png'), image('images/words.png')],
  ]
  const steps = [
    { step_id: 1, source: 'user', message: content },
    {
      step_id: 2,
      source: 'agent',
      message: '',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'see', arguments: {} }],
      observation: { results: [{ source_call_id: 'c1', content: [image('images/one.png')] }] },
    },
  ]
  const document = { schema_version: 'ATIF-v1.7', session_id: 's', agent: agent('seer'), steps }
  await writeFiles(dir, { 'run/trajectory.json': JSON.stringify(document) })
  await mkdir(join(dir, 'run', 'images'))
  await writeFile(join(dir, 'outside.png'), pixel)
  await writeFile(join(dir, 'run/images/one.png'), pixel)
  await writeFile(join(dir, 'run/images/words.png'), 'no image')
  await symlink(join(dir, 'outside.png'), join(dir, 'run/images/link.png'))
  const [one] = await readSessions(atifAdapter, join(dir, 'run'))
  const shown = { mediaType: 'image/png', bytes: pixel.length, sha256: hash('sha256', pixel) }
  const entries = one?.entriesOf('') ?? []
  expect(entries.find(({ type }) => type === 'message')).toMatchObject({
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'image', ...shown },
      ...['../outside.png', 'images/link.png', 'images/none.png', 'images/words.png'].map(
        (path) => ({ type: 'text', text: `[image/png: ${path}]` }),
      ),
    ],
  })
  expect(entries.find(({ type }) => type === 'tool-result')).toMatchObject({ images: [shown] })
})

it('links sub-agents in files that a document refers to, and finds documents in folders below', async () => {
  const [step] = [nested.steps[2]]
  const ref = { trajectory_path: 'files/trajectory.sub.json' }
  const main = {
    schema_version: 'ATIF-v1.6',
    session_id: 's1',
    agent: agent('terminus'),
    steps: [
      {
        ...step,
        step_id: 1,
        observation: { results: [{ source_call_id: 'c1', subagent_trajectory_ref: [ref] }] },
      },
    ],
  }
  const sub = { ...nested.subagent_trajectories[0], trajectory_id: undefined, session_id: 's1-sub' }
  const sessions = await read({
    'trial/agent/trajectory.json': JSON.stringify(main),
    'trial/agent/trajectory.sub.json': JSON.stringify(sub),
    'trial/result.json': '{"steps":[]}',
    'other/trajectory.json': lines,
  })
  expect(sessions.map(({ found }) => [found.key, found.files.length])).toEqual([
    ['main', 1],
    ['s1', 2],
  ])
  expect(sessions[1]?.tasks).toMatchObject([
    { key: '' },
    { key: 's1-sub', callId: 'c1' },
    { key: 'subsub' },
  ])
})

it('never throws on a damaged document, and loses no good step that is on lines of its own', async () => {
  const steps = Array.from({ length: 30 }, (_, nth) => ({
    step_id: nth + 1,
    source: 'agent',
    message: `said ${nth}; {"[`,
  }))
  const document = { ...nested, subagent_trajectories: undefined, steps }
  const text = JSON.stringify(document, null, 2)
  const dir = await temporaryDir()
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: text.length - 1 }),
      fc.constantFrom('cut', '"', '{', '}', ']', '\\', 'x', '\n', '\0'),
      async (place, change) => {
        const end = change === 'cut' ? '' : change + text.slice(place + 1)
        const path = join(await writeFiles(dir, { 't.json': text.slice(0, place) + end }), 't.json')
        const [one] = await readSessions(atifAdapter, path)
        if (!one) return
        const said = JSON.stringify(one.entriesOf(''))
        const kept = steps.filter(({ message }) =>
          said.includes(JSON.stringify(message).slice(1, -1)),
        )
        const cutAt = text.slice(0, place).split('"step_id"').length - 1
        const whole = change === 'cut' ? Math.max(0, cutAt - 1) : 28
        // What stands before or after the steps can't be told from damage of the whole document.
        if (place > text.indexOf('"step_id": 1,') && place < text.lastIndexOf('"message"'))
          expect(kept.length, `${place} ${JSON.stringify(change)}`).toBeGreaterThanOrEqual(whole)
      },
    ),
    { numRuns: 60 },
  )
})

it('knows each tool by the content of a file', async () => {
  const dir = await writeFiles(await temporaryDir(), { 't.json': lines, 'n.json': '{"a":1}' })
  const { signal } = new AbortController()
  for (const name of ['t.json', 'n.json'])
    for (const adapter of Object.values(adapters)) {
      const found = await Array.fromAsync(adapter.discover(join(dir, name), signal))
      expect(found.map(({ tool }) => tool)).toEqual(
        name === 't.json' && adapter.tool === 'atif' ? ['atif'] : [],
      )
    }
})

it('[I2] counts the usage of copied steps only where they were taken', async () => {
  const step = (step_id: number, message: string, more: object) => ({
    step_id,
    source: 'agent',
    message,
    metrics: { prompt_tokens: 100, completion_tokens: 20 },
    ...more,
  })
  const [one] = await read({
    'trajectory.json': JSON.stringify({
      schema_version: 'ATIF-v1.7',
      session_id: 'run-8',
      agent: agent('planner'),
      steps: [step(1, 'As it was.', { is_copied_context: true }), step(2, 'And on.', {})],
    }),
  })
  expect(one?.tasks).toMatchObject([{ usage: { inputTokens: 100, outputTokens: 20 } }])
})
