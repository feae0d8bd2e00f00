import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { expect, it, vi } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, type Fixture, openFixture, start, taskOf, untilQuiet } from '../harness.ts'
import { preparedFixture } from '../prepared-fixture.ts'

const nested = `
version: 1
name: nested
agents:
  lead:
    turns:
      - call: task
        with: { agent: helper, title: Helper, prompt: Go }
      - say: Done.
  helper:
    turns:
      - report: { title: Helper, markdown: Done. }
`

const openEnded = preparedFixture(async (fixture) => {
  const id = await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  return { id }
})

const links = async (fixture: Fixture, id: TaskId) =>
  (await entriesOf(fixture.shiplog, id)).flatMap((entry) =>
    entry.type === 'pr-link' ? [[entry.url, entry.source]] : [],
  )

it('adds a pull request that the user names to the transcript, once', async () => {
  const { fixture, id } = await openEnded()
  const { client } = fixture.shiplog
  const url = 'https://forge.example/ship/log/-/merge_requests/7'
  const link = (text: string, taskId: string = id) =>
    client.tasks.linkPullRequest({ taskId, url: text })
  expect(await link(` ${url} `)).toEqual({ linked: true })
  expect(await link(url)).toEqual({ linked: false })
  expect(await links(fixture, id)).toEqual([[url, 'person']])

  for (const wrong of ['', 'pull request 7', 'file:///etc/passwd', 'https://a@forge.example/7'])
    await expect(link(wrong), wrong).rejects.toMatchObject({ code: 'INVALID' })
  const helper = await taskOf(fixture.shiplog, 'Helper')
  await expect(link(url, helper.id)).rejects.toMatchObject({
    code: 'REFUSED',
    message: expect.stringContaining('Link the pull request to the agent that started it'),
  })
  await expect(link(url, 'ffffffff')).rejects.toMatchObject({ code: 'NOT_FOUND' })

  // What was counted fits, now and after a restart, and nothing took the link for the end of the run.
  const entries = await entriesOf(fixture.shiplog, id)
  expect((await taskOf(fixture.shiplog, id)).transcriptCounts?.entries).toBe(entries.length)
  const shiplog = await fixture.restart()
  expect((await taskOf(shiplog, id)).status).toBe('completed')
  await shiplog.client.workspace.remove({ workspaceId: id })
  expect((await entriesOf(shiplog, id)).length).toBe(entries.length + 1)
  await expect(shiplog.client.tasks.linkPullRequest({ taskId: id, url })).rejects.toMatchObject({
    code: 'REFUSED',
    data: { reason: 'removed' },
  })
  expect((await shiplog.client.doctor.check({ repair: false })).problems).toEqual([])
})

it('attributes one that was linked by a command, perhaps of an agent, to a command', async () => {
  const { fixture, id } = await openEnded()
  const agent = createRouterClient(fixture.shiplog.router, { context: { grant: 'act' } })
  const url = 'https://forge.example/pull/1'
  expect(await agent.tasks.linkPullRequest({ taskId: id, url })).toEqual({ linked: true })
  expect(await links(fixture, id)).toEqual([[url, 'command']])
})

it('adds nothing to a transcript whose end is missing', async () => {
  const { fixture, id } = await openEnded()
  const chat = join(fixture.dataDir, 'sessions', id, 'chat.jsonl')
  const lines = (await readFile(chat, 'utf8')).trimEnd().split('\n')
  await writeFile(chat, `${lines.slice(0, -2).join('\n')}\n`)
  const link = fixture.shiplog.client.tasks.linkPullRequest({
    taskId: id,
    url: 'https://forge.example/pull/1',
  })
  await expect(link).rejects.toThrow('shorter than it was')
  expect((await readFile(chat, 'utf8')).trimEnd().split('\n')).toHaveLength(lines.length - 2)
})

it('waits for a removal that has begun, and then states where the record is', async () => {
  const { fixture, id } = await openEnded()
  const { client } = fixture.shiplog
  const url = 'https://forge.example/pull/1'
  const [removed, linked] = await Promise.allSettled([
    client.workspace.remove({ workspaceId: id }),
    client.tasks.linkPullRequest({ taskId: id, url }),
  ])
  expect(removed.status).toBe('fulfilled')
  // Whichever was first: what was acknowledged is in the archive, and what was refused is not.
  const there = (await links(fixture, id)).length
  expect(there).toBe(linked.status === 'fulfilled' ? 1 : 0)
  expect((await client.doctor.check({ repair: false })).problems).toEqual([])
})

it('adds it while the agent runs; the end of the run counts it, and later command output adds no duplicate', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const id = await start(
    fixture,
    `
version: 1
name: slow
agents:
  lead:
    turns:
      - call: bash
        with: { command: "while [ ! -e go ]; do sleep 0.05; done; echo https://forge.example/a/b/pull/1" }
      - say: Done.
`,
  )
  await vi.waitFor(
    async () =>
      expect((await entriesOf(fixture.shiplog, id)).map(({ type }) => type)).toContain('tool-call'),
    { timeout: 60_000 },
  )
  await client.tasks.linkPullRequest({ taskId: id, url: 'https://forge.example/a/b/pull/1' })
  await writeFile(`${(await taskOf(fixture.shiplog, id)).workspace?.path}/go`, '')
  await untilQuiet(fixture.shiplog)
  const entries = await entriesOf(fixture.shiplog, id)
  expect(entries.filter(({ type }) => type === 'pr-link')).toHaveLength(1)
  expect((await taskOf(fixture.shiplog, id)).transcriptCounts?.entries).toBe(entries.length)
})
