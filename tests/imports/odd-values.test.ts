/** Values that no tool writes, but that a damaged or forged log may hold. One of them never costs more than its own record. */
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { temporaryDir } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'
import { codexLog } from './codex-log.ts'
import { readLog, session } from './read-claude-log.ts'
import { readLog as readRollout, session as thread } from './read-codex-log.ts'
import { messagesOf } from './read-session.ts'

it('[I2] reads the other records if a type or a status can’t be converted to a string', async () => {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.raw(JSON.stringify({ uuid: 'x', sessionId: session, type: { toString: 1 } }))
  const status = { toString: 1 }
  const todos = [
    { content: 'Look', status },
    { content: 'Dive', status: '__proto__' },
    { content: 'Fly', status: 'pending' },
  ]
  log.calls('m1', 'c1', 'TodoWrite', { todos })
  log.says('m2', 'Found.')
  const one = await readLog(log.text())
  expect(messagesOf(one.entriesOf(''))).toContain('assistant: Found.')
  expect(one.entriesOf('').filter(({ type }) => type === 'plan')).toMatchObject([
    { items: [{ text: 'Fly', status: 'pending' }] },
  ])

  const rollout = codexLog(thread)
  rollout.turn()
  rollout.prompt('Find the puffin')
  const kinds = { content_item_kinds: [status] }
  rollout.item({
    type: 'message',
    role: 'user',
    content: [{ text: 'Added' }],
    internal_chat_message_metadata_passthrough: kinds,
  })
  const plan = todos.map(({ content, status }) => ({ step: content, status }))
  rollout.calls('c1', 'update_plan', { plan })
  rollout.says('Found.')
  const other = await readRollout(rollout)
  expect(messagesOf(other.entriesOf(''))).toContain('assistant: tool-call|Found.')
  expect(other.entriesOf('').filter(({ type }) => type === 'plan')).toMatchObject([
    { items: [{ text: 'Fly', status: 'pending' }] },
  ])
})

it.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])(
  '[I2] takes a record with %s nested too deeply for damaged, and reads the others',
  async (_, open, close) => {
    const deep = `${open.repeat(20_000)}${open === '[' ? '' : '1'}${close.repeat(20_000)}`
    const log = claudeLog(session)
    log.prompt('Find the albatross')
    log.raw(`{"type":"user","uuid":"x","sessionId":"${session}","deep":${deep}}`)
    log.says('m1', 'Found.')
    const one = await readLog(log.text())
    expect(messagesOf(one.entriesOf(''))).toContain('assistant: Found.')
    expect(one.damage).toMatchObject([{ line: 2, reason: 'nested too deeply' }])
    expect(one.tasks).toMatchObject([{ counts: { lines: 3, mapped: 2, damaged: 1 } }])

    const rollout = codexLog(thread)
    rollout.turn()
    rollout.prompt('Find the puffin')
    rollout.raw(`{"timestamp":"2026-06-01T10:00:00Z","type":"x","payload":{"deep":${deep}}}`)
    rollout.says('Found.')
    const other = await readRollout(rollout)
    expect(messagesOf(other.entriesOf(''))).toContain('assistant: Found.')
    expect(other.damage).toMatchObject([{ reason: 'nested too deeply' }])
  },
)

it.each([undefined, [{ type: 'input_text', text: 5 }]])(
  '[I2] shows the prompt of an event whose message has no text but %j',
  async (content) => {
    const rollout = codexLog(thread)
    rollout.turn()
    rollout.item({ type: 'message', role: 'user', content })
    rollout.done({ type: 'UserMessage', content: [{ type: 'text', text: 'Find the puffin' }] })
    rollout.says('Found.')
    const one = await readRollout(rollout)
    expect(messagesOf(one.entriesOf(''))).toEqual(['user: Find the puffin', 'assistant: Found.'])
  },
)

it('[I3] keeps a session with numbers that no model can have used, also after a restart', async () => {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  const usage = { input_tokens: 1e20, output_tokens: 1e308, cache_read_input_tokens: 7 }
  log.says('m1', 'Found.', {
    message: {
      id: 'm1',
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [{ type: 'text', text: 'Found.' }],
      usage,
    },
  })
  const rollout = codexLog(thread)
  rollout.turn()
  rollout.prompt('Find the puffin')
  rollout.says('Found.')
  rollout.used(1e20, 5, 5)
  const trajectory = {
    schema_version: 'ATIF-v1.7',
    session_id: 't1',
    agent: { name: 'diver', version: '1' },
    steps: [
      { step_id: 1, source: 'user', message: 'Find the gannet' },
      {
        step_id: 2,
        source: 'agent',
        message: 'Found.',
        metrics: { prompt_tokens: 1e20, completion_tokens: 5, cost_usd: 1e308 },
      },
      {
        step_id: 3,
        source: 'agent',
        message: 'Still found.',
        metrics: { prompt_tokens: 1, completion_tokens: 5, cost_usd: 1e308 },
      },
    ],
  }
  const dir = await writeFiles(await temporaryDir(), {
    [`claude/${session}.jsonl`]: log.text(),
    [`codex/rollout-2026-06-01T10-00-00-${thread}.jsonl`]: rollout.text(),
    'atif/a.json': JSON.stringify(trajectory),
  })
  const dataDir = await temporaryDir()
  const first = await openShiplog({ host: 'cli', dataDir })
  try {
    for (const [tool, name] of [
      ['claude-code', 'claude'],
      ['codex', 'codex'],
      ['atif', 'atif'],
    ] as const)
      for await (const event of await first.client.imports.run({ tool, path: join(dir, name) }))
        expect(event.type).not.toBe('skipped')
  } finally {
    await first.close()
  }
  const again = await openShiplog({ host: 'cli', dataDir })
  onTestFinished(() => again.close())
  const { tasks } = await again.client.tasks.list({ all: true })
  expect(tasks.map(({ title }) => title).sort()).toEqual([
    'Find the albatross',
    'Find the gannet',
    'Find the puffin',
  ])
  for (const { usage } of tasks) expect(usage.inputTokens).toBeLessThan(1e6)
})

it('[I3] shows the same edits on a machine that is busy', async () => {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.calls('m1', 'c1', 'Write', { file_path: '/code/app/sea.txt', content: 'blue\ngreen\n' })
  log.returns('c1', 'Written.')
  const change = { file_path: '/code/app/sea.txt', old_string: 'blue\n', new_string: 'grey\n' }
  log.calls('m2', 'c2', 'Edit', change)
  log.returns('c2', 'Edited.')
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [{ toString: 1 }] }
  log.calls('m3', 'c3', 'Edit', change)
  log.returns('c3', 'Edited.', { toolUseResult: { structuredPatch: [hunk] } })
  let now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000))
  onTestFinished(() => clock.mockRestore())
  const one = await readLog(log.text())
  expect(one.entriesOf('').filter(({ type }) => type === 'tool-result')).toMatchObject([
    {
      detail: {
        change: 'created',
        additions: 2,
        patch: '--- /dev/null\n+++ b/sea.txt\n@@ -0,0 +1,2 @@\n+blue\n+green\n',
      },
    },
    { detail: { change: 'changed', additions: 1, deletions: 1 } },
    { detail: { kind: 'edit' } },
  ])
})
