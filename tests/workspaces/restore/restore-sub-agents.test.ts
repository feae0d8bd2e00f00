/** Sub-agents that were interrupted when their root was removed: a restore brings them back with it (R6). */
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import {
  allTasks,
  beforeLeaving,
  entriesOf,
  type Fixture,
  git,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'
import { hold, untilHolds } from '../../waiting-agents.ts'

/** A lead, its sub-agent that completes at once, and below that one which holds with uncommitted work. */
const scenario = (dir: string) => `
version: 1
name: below
agents:
  lead:
    turns:
      - { call: task, with: { agent: middle, title: middle, prompt: Go, background: true } }
      - { call: bash, with: ${hold(dir)} }
      - { call: task_await, with: { tasks: all } }
      - report: { title: lead done, markdown: Done. }
  middle:
    turns:
      - { call: task, with: { agent: inner, title: inner, prompt: Go, background: true } }
      - report: { title: middle done, markdown: Done. }
  inner:
    turns:
      - { call: bash, with: { command: "echo one > committed.txt && git add -A && git commit -qm One" } }
      - { call: write_file, with: { path: loose.txt, content: "two" } }
      - { call: bash, with: ${hold(dir)} }
      - { call: bash, with: { command: "cat committed.txt loose.txt > both.txt" } }
      - report: { title: inner done, markdown: Done. }
`

/** Lead and inner interrupted, and the tree in the archive. */
const openRemoved = preparedFixture(async (fixture) => {
  const root = await start(fixture, scenario(fixture.dir))
  await until(fixture.shiplog, (tasks) =>
    ['middle completed', 'inner spawned'].every((wanted) =>
      tasks.some(({ title, status }) => wanted === `${title} ${status}`),
    ),
  )
  for (const id of [root, (await taskOf(fixture.shiplog, 'inner')).id])
    await untilHolds(fixture.shiplog, id)
  await fixture.restart()
  await writeFile(join(fixture.dir, 'go'), '')
  const { client } = fixture.shiplog
  const inner = await taskOf(fixture.shiplog, 'inner')
  const before: Entry[] = await entriesOf(fixture.shiplog, inner.id)
  await client.workspace.remove({ workspaceId: root })
  const path = inner.workspace?.path ?? ''
  expect(existsSync(path)).toBe(false)
  return { root, inner: inner.id, path, before }
})

async function removed() {
  const opened = await openRemoved()
  return { ...opened, client: opened.fixture.shiplog.client }
}

const resumeOne = ({ fixture }: { fixture: Fixture }, taskId: TaskId) =>
  fixture.shiplog.client.tasks.resume({ selector: { by: 'task', taskId } })

async function statuses({ shiplog }: Fixture): Promise<Record<string, string>> {
  const tasks = await allTasks(shiplog)
  return Object.fromEntries(
    tasks.map(({ title, status, archived }) => [title, archived ? `${status}, archived` : status]),
  )
}

/** As a kill right after it was recorded leaves the restore of these. */
async function restoreBegunAndKilled(fixture: Fixture, ids: TaskId[]): Promise<void> {
  await fixture.shiplog.close()
  const ledger = await openJournal(join(fixture.dataDir, 'ledger.jsonl'))
  for (const workspaceId of ids)
    await ledger.append({ v: 1, type: 'workspace.restore-started', workspaceId })
  await ledger.close()
}

/** As a kill of `git worktree add` leaves it behind: Git writes `.git` last. */
async function leaveEmptyWorktree(project: string, path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  const own = join(project, '.git', 'worktrees', basename(path))
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'locked'), 'initializing')
  await writeFile(join(own, 'gitdir'), `${join(await realpath(path), '.git')}\n`)
}

describe('a sub-agent that was interrupted when its root was removed', () => {
  it('[R6] [S3] comes back with its worktree and its transcript, and continues', async () => {
    const { fixture, client, root, inner, path, before } = await removed()
    expect((await client.workspace.restore({ workspaceId: root })).left).toEqual([])
    expect(await statuses(fixture)).toEqual({
      'Do it': 'interrupted',
      // The one above it as well: what inner reports and leaves goes there.
      middle: 'completed',
      inner: 'interrupted',
    })
    expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two')
    expect(beforeLeaving(await entriesOf(fixture.shiplog, inner))).toEqual(before)
    const { problems } = await client.doctor.check({ repair: false })
    expect(problems).toEqual([])

    const { accepted } = await client.tasks.resume({ selector: { by: 'tree', taskId: root } })
    expect(accepted.map(({ taskId }) => taskId).sort()).toEqual([root, inner].sort())
    await untilQuiet(fixture.shiplog)
    expect(await statuses(fixture)).toEqual({
      'Do it': 'completed',
      middle: 'completed, archived',
      inner: 'completed, archived',
    })
    const { files } = await client.workspace.diff({ workspaceId: inner })
    expect(files.map((file) => file.path).sort()).toEqual([
      'both.txt',
      'committed.txt',
      'loose.txt',
    ])
    expect((await entriesOf(fixture.shiplog, inner)).slice(0, before.length)).toEqual(before)
  })

  it('[R6] is refused while its root is archived, with advice on how to restore both', async () => {
    const { fixture, root, inner } = await removed()
    await expect(resumeOne({ fixture }, inner)).rejects.toMatchObject({
      code: 'REFUSED',
      data: { reason: 'removed' },
      message: expect.stringContaining(`shiplog workspaces restore ${root.slice(0, 8)}`),
    })
  })

  itInSoak(
    '[R6] [R3] stays in the archive where something stands in its place, says what, and comes back once that is gone',
    async () => {
      const { fixture, client, root, inner, path, before } = await removed()
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'mine.txt'), 'mine')
      const { left } = await client.workspace.restore({ workspaceId: root })
      const why = expect.stringContaining(`${path} exists; move it away first.`)
      expect(left).toEqual([{ taskId: inner, title: 'inner', why }])
      expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
      expect((await statuses(fixture)).inner).toBe('interrupted, archived')
      expect(beforeLeaving(await entriesOf(fixture.shiplog, inner))).toEqual(before)
      const { accepted, refused } = await resumeOne({ fixture }, inner)
      const message = expect.stringContaining('move the folder away')
      expect({ accepted, refused }).toMatchObject({ accepted: [], refused: [{ message }] })
      await expect(client.workspace.restore({ workspaceId: inner })).rejects.toThrow(
        `${path} exists; move it away first.`,
      )
      await rename(path, `${path}-mine`)
      expect((await resumeOne({ fixture }, inner)).refused).toEqual([])
      await client.tasks.resumeEnded({ taskIds: [inner] })
      expect((await statuses(fixture)).inner).toMatch(/^completed/)
    },
  )

  it('[R6] comes back although an earlier restore failed, and could not remove the worktree that it had begun', async () => {
    const { fixture, client, root, path } = await removed()
    const half = ['worktree', 'add', '-q', '--no-checkout', '--lock', '--reason', 'initializing']
    git(fixture.project.dir, ...half, '--detach', path)
    expect((await client.workspace.restore({ workspaceId: root })).left).toEqual([])
    expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two')
    expect((await client.doctor.check({ repair: false })).problems).toEqual([])
  })

  it.each(['begun', 'about to write the worktree'])(
    '[R6] is restored by the next start if a kill interrupted the restore: %s',
    async (state) => {
      const { fixture, root, inner, path } = await removed()
      const middle = (await taskOf(fixture.shiplog, 'middle')).id
      await restoreBegunAndKilled(fixture, [root, middle, inner])
      if (state !== 'begun') await leaveEmptyWorktree(fixture.project.dir, path)
      const { client } = await fixture.restart()
      expect(await statuses(fixture)).toMatchObject({
        'Do it': 'interrupted',
        inner: 'interrupted',
      })
      expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two')
      // One line for the whole tree.
      expect((await client.app.info()).notices).toEqual([
        expect.objectContaining({
          tone: 'info',
          text: 'The restore of “Do it” had not been finished. It has been completed.',
        }),
      ])
    },
  )

  itInSoak('[R1] [R6] can be removed and restored once more', async () => {
    const { fixture, client, root, inner, path, before } = await removed()
    await client.workspace.restore({ workspaceId: root })
    await client.workspace.remove({ workspaceId: root })
    expect(existsSync(path)).toBe(false)
    expect((await client.workspace.restore({ workspaceId: root })).left).toEqual([])
    expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two')
    expect((await entriesOf(fixture.shiplog, inner)).slice(0, before.length)).toEqual(before)
  })

  itInSoak(
    '[R6] can be restored alone when it alone was removed, and one that is over can’t',
    async () => {
      const { fixture, client, root, inner, path } = await removed()
      await client.workspace.restore({ workspaceId: root })
      await client.workspace.remove({ workspaceId: inner })
      expect((await statuses(fixture)).inner).toBe('interrupted, archived')
      await client.workspace.restore({ workspaceId: inner })
      expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two')
      await client.tasks.abandon({ taskId: inner })
      await client.workspace.remove({ workspaceId: inner })
      await expect(client.workspace.restore({ workspaceId: inner })).rejects.toMatchObject({
        data: { reason: 'not-archived' },
        message: expect.stringContaining('abandoned'),
      })
    },
  )
})
