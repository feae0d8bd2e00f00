/** Sessions of Claude Code that go on in another file: with copies of what was before, and with ids of their own. */

import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, openFixture, taskOf } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const ids = [1, 2, 3, 4].map((nth) => `1b2c3d4e-0000-4000-8000-00000000000${nth}` as TaskId)
const [first, second, third, fourth] = ids as [TaskId, TaskId, TaskId, TaskId]

type Line = Record<string, unknown>
const parsed = (lines: string[]): Line[] => lines.map((line) => JSON.parse(line))

function logs() {
  const a = claudeLog(first)
  a.prompt('Find the albatross')
  a.calls('m1', 'c1', 'Task', { subagent_type: 'Explore', description: 'Look', prompt: 'Look' })
  a.returns('c1', 'Over the sea.', { toolUseResult: { agentId: 'a1' } })
  a.says('m2', { type: 'thinking', thinking: 'So it flies.' })
  const lastOfA = a.says('m2', 'Found at sea.')
  const agent = claudeLog('1b2c3d4e-0000-4000-8000-00000000000a', { isSidechain: true })
  agent.prompt('Look')
  agent.says('s1', 'Over the sea.')

  // As `--resume` of older versions: the same ids, and another session.
  const own = claudeLog(second.replace('1b2c3d4e', '2b2c3d4e'), { sessionId: second })
  own.goTo(lastOfA)
  own.prompt('And the puffin?')
  const lastOfB = own.says('m3', 'On the rock.')
  const b: Line[] = [
    ...parsed(a.lines).map((line) => ({ ...line, sessionId: second })),
    ...parsed(own.lines),
  ]

  // As `/branch`: new ids, and where each comes from.
  const renamed = (uuid: unknown) => (uuid === null ? null : String(uuid).replace(/^0/, 'f'))
  const forked = b.map((line) => ({
    ...line,
    sessionId: third,
    uuid: renamed(line.uuid),
    parentUuid: renamed(line.parentUuid),
    forkedFrom: { sessionId: second, messageUuid: line.uuid },
  }))
  const more = claudeLog(third.replace('1b2c3d4e', '3b2c3d4e'), { sessionId: third })
  more.goTo(renamed(lastOfB))
  more.prompt('And the gull?')
  more.says('m4', 'Everywhere.')
  const c = [...forked, ...parsed(more.lines)]

  // Without copies: it follows a message of the one before, and names that as its session.
  const d = claudeLog(fourth.replace('1b2c3d4e', '4b2c3d4e'), { sessionId: first })
  d.goTo(lastOfA)
  d.prompt('And the heron?')
  d.says('m5', 'In the reeds.')
  const text = (lines: unknown[]) => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
  return {
    [`${first}.jsonl`]: a.text(),
    [`${first}/subagents/agent-a1.jsonl`]: agent.text(),
    [`${second}.jsonl`]: text(b),
    [`${third}.jsonl`]: text(c),
    [`${fourth}.jsonl`]: d.text(),
  }
}

it('[I2] makes one chain of a session that continues in other files, and counts messages and usage once', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const dir = await writeFiles(join(fixture.dir, 'logs'), logs())
  for (const [nth, id] of ids.entries())
    await utimes(join(dir, `${id}.jsonl`), 1_700_000_000 + nth, 1_700_000_000 + nth)
  const importPath = async (path: string) => {
    const sessions = []
    for await (const event of await client.imports.run({ tool: 'claude-code', path }))
      if (event.type === 'session') sessions.push(event.session)
    return sessions
  }
  const sessions = await importPath(dir)
  expect(sessions.map(({ taskId }) => taskId).toSorted()).toEqual(ids)
  for (const { lines, mapped, foreign, damaged } of sessions)
    expect(lines).toBe(mapped + foreign + damaged)
  expect(sessions.map(({ damaged, foreign }) => damaged + foreign)).toEqual([0, 0, 0, 0])

  const said = async (id: TaskId) =>
    (await entriesOf(fixture.shiplog, id)).flatMap((entry) =>
      entry.type === 'message'
        ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
        : [],
    )
  expect(await said(second)).toEqual(['And the puffin?', 'On the rock.'])
  expect(await said(third)).toEqual(['And the gull?', 'Everywhere.'])
  expect(await said(fourth)).toEqual(['And the heron?', 'In the reeds.'])
  const tasks = await Promise.all(ids.map((id) => taskOf(fixture.shiplog, id)))
  expect(tasks.map(({ resumedFrom }) => resumedFrom?.taskId)).toEqual([
    undefined,
    first,
    second,
    first,
  ])
  expect(tasks.map(({ usage }) => usage.outputTokens)).toEqual([10, 5, 5, 5])
  expect(tasks[1]?.title).toBe('And the puffin?')
  const last = (await entriesOf(fixture.shiplog, first)).findLast(({ type }) => type === 'message')
  expect(tasks[1]?.resumedFrom?.seq).toBe(last?.seq)
  expect((await client.imports.details({ taskId: second })).details).toMatchObject({
    continues: { taskId: first, copies: 5 },
  })
  // Again: nothing new.
  expect((await importPath(dir)).map(({ isNew }) => isNew)).toEqual([false, false, false, false])
  expect((await client.doctor.check({ repair: false })).problems).toEqual([])
})

it('keeps all of a session whose beginning is in a file that is not here', async () => {
  const fixture = await openFixture()
  const { [`${third}.jsonl`]: text = '' } = logs()
  const dir = await writeFiles(join(fixture.dir, 'logs'), { [`${third}.jsonl`]: text })
  for await (const event of await fixture.shiplog.client.imports.run({
    tool: 'claude-code',
    path: dir,
  }))
    if (event.type === 'skipped') expect.unreachable()
  const entries = await entriesOf(fixture.shiplog, third)
  expect(entries.filter(({ type }) => type === 'message')).toHaveLength(7)
  expect((await taskOf(fixture.shiplog, third)).resumedFrom).toBe(null)
})

it('[I2] places a session before the one that continues it, even if that was imported first', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const { [`${second}.jsonl`]: later = '', ...others } = logs()
  const { [`${third}.jsonl`]: _, [`${fourth}.jsonl`]: __, ...beginning } = others
  const dir = await writeFiles(join(fixture.dir, 'logs'), { [`${second}.jsonl`]: later })
  const importAll = async () => {
    const sessions = []
    for await (const event of await client.imports.run({ tool: 'claude-code', path: dir })) {
      if (event.type === 'skipped') expect.unreachable()
      if (event.type === 'session') sessions.push(event.session)
    }
    return sessions
  }
  const outputTokens = async (id: TaskId) => (await taskOf(fixture.shiplog, id)).usage.outputTokens
  const prompts = async (id: TaskId) =>
    (await entriesOf(fixture.shiplog, id)).flatMap((entry) =>
      entry.type === 'message' && entry.role === 'user'
        ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
        : [],
    )
  await importAll()
  expect(await outputTokens(second)).toBe(15)

  await writeFiles(dir, beginning)
  await utimes(join(dir, `${first}.jsonl`), 1_700_000_000, 1_700_000_000)
  await importAll()
  expect(await prompts(first)).toEqual(['Find the albatross'])
  expect(await prompts(second)).toEqual(['And the puffin?'])
  expect(await outputTokens(first)).toBe(10)
  expect(await outputTokens(second)).toBe(5)
  expect((await taskOf(fixture.shiplog, first)).resumedFrom).toBe(null)
  expect((await taskOf(fixture.shiplog, second)).resumedFrom).toMatchObject({ taskId: first })

  const again = await importAll()
  expect(again.map(({ isNew, isUpdated }) => isNew || isUpdated)).toEqual([false, false])
  expect((await client.imports.scan({ path: dir })).sources).toMatchObject([{ imported: 2 }])
})
