/** Runs other than a resume also find their working directory complete (S4). */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { entriesOf, git, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'
import { casesOf } from '../../soak.ts'

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' }

const twice = (first: string) => `
version: 1
name: twice
agents:
  lead:
    turns:
      - call: write_file
        with: { path: new.txt, content: "not committed" }
      - ${first}
      - call: bash
        with: { command: "git status --porcelain > ../status" }
      - report: { title: Two, markdown: Two. }
`

async function afterFirstRun(first: string) {
  const fixture = await openFixture({ files })
  const id = await start(fixture, twice(first))
  await untilQuiet(fixture.shiplog)
  const { path = '', branch = '' } = (await taskOf(fixture.shiplog, id)).workspace ?? {}
  await rm(path, { recursive: true })
  return { fixture, id, path, branch: branch ?? '' }
}

const everything = ['.git', 'a.txt', 'b.txt', 'new.txt']

/** What a kill leaves of a worktree that is created: registered, locked, and without files. */
function leavePartial(project: string, path: string, branch: string): void {
  git(project, 'worktree', 'prune')
  const locked = ['--no-checkout', '--lock', '--reason', 'initializing']
  git(project, 'worktree', 'add', '-q', ...locked, path, branch)
}

it('[S4] restores the worktree before a follow-up if an earlier attempt was killed', async () => {
  const { fixture, id, path, branch } = await afterFirstRun(
    'report: { title: One, markdown: One. }',
  )
  leavePartial(fixture.project.dir, path, branch)
  await fixture.shiplog.client.tasks.prompt({ taskId: id, prompt: 'Go on' })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  expect((await readdir(path)).toSorted()).toEqual(everything)
  expect(git(path, 'status', '--porcelain')).toBe('?? new.txt\n')
})

it.each(casesOf(['missing', 'empty', 'partial'], (state) => state === 'empty'))(
  '[S4] restores the worktree before a retry that a kill had left in the queue: it is %s',
  async (state) => {
    const { fixture, id, path, branch } = await afterFirstRun('fail: Not today')
    await fixture.shiplog.close()
    const ledger = await openJournal(layoutOf(fixture.dataDir).ledger)
    await ledger.append({ v: 1, type: 'task.requeued', taskId: id })
    await ledger.close()
    if (state === 'partial') leavePartial(fixture.project.dir, path, branch)
    // Git creates the folder first.
    if (state === 'empty') await mkdir(path)

    const shiplog = await fixture.restart()
    const selector = { by: 'task', taskId: id } as const
    const { accepted, refused } = await shiplog.client.tasks.resume({ selector, force: false })
    expect([accepted.length, refused]).toEqual([1, []])
    await until(shiplog, ([root]) => root?.runs[1]?.status === 'completed')
    expect((await readdir(path)).toSorted()).toEqual(everything)
    expect(git(path, 'status', '--porcelain')).toBe('?? new.txt\n')
  },
)

it('[S4] ends a restore that was killed at its end, before a follow-up and on a repair', async () => {
  const fixture = await openFixture({ files })
  const id = await start(fixture, twice('report: { title: One, markdown: One. }'))
  await untilQuiet(fixture.shiplog)
  const { path = '' } = (await taskOf(fixture.shiplog, id)).workspace ?? {}
  const aside = join(fixture.project.dir, '.git', `shiplog-aside-${basename(path)}`)
  const { client } = fixture.shiplog
  await mkdir(aside)
  await client.tasks.prompt({ taskId: id, prompt: 'Go on' })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  expect(existsSync(aside)).toBe(false)
  await mkdir(aside)
  const { problems } = await client.doctor.check({ repair: true })
  expect(problems).toMatchObject([{ kind: 'worktree-broken', repaired: true }])
  expect(existsSync(aside)).toBe(false)
})

it.each(casesOf(['empty', 'partial'], (state) => state === 'partial'))(
  '[R3] takes no file for deleted that is missing in a worktree whose restore was killed: it is %s',
  async (state) => {
    const { fixture, id, path, branch } = await afterFirstRun(
      'report: { title: One, markdown: One. }',
    )
    if (state === 'partial') leavePartial(fixture.project.dir, path, branch)
    else await mkdir(path)
    const { client } = fixture.shiplog
    const { seq = 0 } = (await entriesOf(fixture.shiplog, id)).at(-1) ?? {}
    expect(await client.turnFiles.diff({ taskId: id, seq, against: 'now' })).toMatchObject({
      kind: 'diff',
      files: [],
    })
    const diff = () => client.workspace.diff({ workspaceId: id })
    await expect(diff()).rejects.toThrow('is gone or incomplete')
    await expect(client.tasks.applyPatch({ taskId: id })).rejects.toThrow('No changes of')
    expect(git(fixture.project.dir, 'status', '--porcelain')).toBe('')
    await client.workspace.remove({ workspaceId: id })
    expect((await diff()).files.map((file) => file.path)).toEqual(['new.txt'])
    const told = (await client.app.info()).notices.map(({ text }) => text)
    expect(told).toContainEqual(expect.stringContaining('was saved in its place'))
  },
)

it.each(casesOf(['missing', 'partial'], (state) => state === 'partial'))(
  '[R3] applies nothing to the worktree of a parent that has to be restored: it is %s',
  async (state) => {
    const fixture = await openFixture({ files })
    const root = await start(fixture, withSubAgent, { keep: true })
    await until(fixture.shiplog, ([lead]) => lead?.status === 'completed')
    const { path = '', branch = '' } = (await taskOf(fixture.shiplog, root)).workspace ?? {}
    await rm(path, { recursive: true })
    if (state === 'partial') leavePartial(fixture.project.dir, path, branch ?? '')
    const { id } = await taskOf(fixture.shiplog, 'Work')
    await expect(fixture.shiplog.client.tasks.applyPatch({ taskId: id })).rejects.toThrow(
      'is gone or incomplete',
    )
    expect((await taskOf(fixture.shiplog, id)).patch).not.toBe('applied')
  },
)

it('[S5] refuses a retry whose worktree can’t be restored, and changes nothing', async () => {
  const { fixture, id, branch } = await afterFirstRun('fail: Not today')
  git(fixture.project.dir, 'worktree', 'prune')
  git(fixture.project.dir, 'checkout', '-q', branch)
  await expect(fixture.shiplog.client.tasks.retry({ taskId: id })).rejects.toThrow(
    'Check out another branch there.',
  )
  expect((await taskOf(fixture.shiplog, id)).status).toBe('failed')
  git(fixture.project.dir, 'checkout', '-q', 'main')
  await fixture.shiplog.client.tasks.retry({ taskId: id })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  const told = (await entriesOf(fixture.shiplog, id)).find(({ type }) => type === 'resume')
  expect(told).toMatchObject({ drift: [expect.stringContaining('was recreated from')] })
})

const withSubAgent = `
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - report: { title: Done, markdown: Done. }
  worker:
    turns:
      - call: write_file
        with: { path: theirs.txt, content: "theirs" }
      - report: { title: Done, markdown: Done. }
`
