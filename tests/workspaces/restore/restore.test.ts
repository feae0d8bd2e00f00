/** What is in the archive, taken back out of it (R6). */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { record } from '../../crash/fault-fs/record.ts'
import type { Trace } from '../../crash/fault-fs/trace.ts'
import {
  allTasks,
  beforeLeaving,
  entriesOf,
  type Fixture,
  git,
  loseTurnStore,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'

const left = `
version: 1
name: left
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo one > committed.txt && git add -A && git commit -qm One && rm README.md && echo two > loose.txt" }
      - report: { title: Left, markdown: Some of it uncommitted. }
      - say: I go on.
`

async function finished(fixture: Fixture): Promise<TaskId> {
  const id = await start(fixture, left)
  await untilQuiet(fixture.shiplog)
  return id
}

const openFinished = preparedFixture(async (fixture) => ({ id: await finished(fixture) }))

/** A root in the archive, and where its worktree was. */
const openRemoved = preparedFixture(async (fixture) => {
  const id = await finished(fixture)
  const { workspace } = await taskOf(fixture.shiplog, id)
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  return { id, path: workspace?.path ?? '', branch: workspace?.branch ?? '' }
})

async function removed() {
  const opened = await openRemoved()
  const { fixture, id } = opened
  const restore = () => fixture.shiplog.client.workspace.restore({ workspaceId: id })
  return { ...opened, restore }
}

/** As a kill right after it was said leaves a restore. */
async function begunAndKilled(fixture: Fixture, id: TaskId): Promise<void> {
  await fixture.shiplog.close()
  const ledger = await openJournal(join(fixture.dataDir, 'ledger.jsonl'))
  await ledger.append({ v: 1, type: 'workspace.restore-started', workspaceId: id })
  await ledger.close()
}

const problemsOf = async ({ shiplog }: Fixture): Promise<string[]> =>
  (await shiplog.client.app.info()).notices.map(({ text }) => text)

/** The paths that were synced, and `restored` where the ledger says so, in this order. */
function syncsIn({ steps }: Trace): string[] {
  const paths = new Map<number, string>()
  return steps.flatMap(({ operation }) => {
    if (operation.kind === 'open') paths.set(operation.handle, operation.path)
    if (operation.kind === 'sync') return [paths.get(operation.handle) ?? '']
    const told = operation.kind === 'write' && operation.data.includes('"workspace.restored"')
    return told ? ['restored'] : []
  })
}

describe('the archive', () => {
  it('[R6] has uncommitted work on the disk before it is recorded as restored', async () => {
    const fixture = await openFixture()
    const deeper = left.replace('> loose.txt', '> loose.txt && mkdir deep && mv loose.txt deep')
    const id = await start(fixture, deeper)
    await untilQuiet(fixture.shiplog)
    const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
    await fixture.shiplog.client.workspace.remove({ workspaceId: id })
    const recording = record(fixture.dataDir)
    // Files that were open before are not watched.
    await fixture.restart()
    await fixture.shiplog.client.workspace.restore({ workspaceId: id })
    const order = syncsIn(recording.stop())
    const worktree = relative(fixture.dataDir, path)
    const told = order.indexOf('restored')
    expect(told).toBeGreaterThan(0)
    for (const synced of [`${worktree}/deep/loose.txt`, `${worktree}/deep`, worktree])
      expect(order.slice(0, told)).toContain(synced)
    expect(order).not.toContain(`${worktree}/committed.txt`)
  })

  it('[R6] restores a root completely: record, branch, commits and uncommitted work', async () => {
    const { fixture, id } = await openFinished()
    const { client } = fixture.shiplog
    const before = await taskOf(fixture.shiplog, id)
    const path = before.workspace?.path ?? ''
    const status = git(path, 'status', '--porcelain')
    const entries = await entriesOf(fixture.shiplog, id)
    await client.workspace.remove({ workspaceId: id })
    await client.workspace.restore({ workspaceId: id })
    const after = await taskOf(fixture.shiplog, id)
    expect(after).toEqual({
      ...before,
      patch: 'ready',
      transcriptCounts: { ...after.transcriptCounts, entries: entries.length + 1 },
    })
    expect(git(path, 'status', '--porcelain')).toBe(status)
    expect(git(path, 'log', '--format=%s').trim().split('\n')).toEqual(['One', 'First'])
    expect(beforeLeaving(await entriesOf(fixture.shiplog, id))).toEqual(entries)
    await client.tasks.prompt({ taskId: id, prompt: 'Go on' })
    await until(fixture.shiplog, (tasks) =>
      tasks.some((task) => task.runs.length === 2 && task.status === 'completed'),
    )
  })

  it('[R6] restores a root whose HEAD had no commit, with all its files as uncommitted work', async () => {
    const { fixture, id } = await openFinished()
    const { client } = fixture.shiplog
    const { workspace } = await taskOf(fixture.shiplog, id)
    const path = workspace?.path ?? ''
    git(path, 'checkout', '-q', '--orphan', 'fresh')
    await client.workspace.remove({ workspaceId: id })
    await client.workspace.restore({ workspaceId: id })
    expect((await readdir(path)).sort()).toEqual(['.git', 'committed.txt', 'loose.txt'])
    expect(git(path, 'rev-parse', 'HEAD').trim()).toBe(workspace?.baseCommit)
    // The commit that it had made stays on its branch.
    const { dir } = fixture.project
    expect(git(dir, 'log', '-1', '--format=%s', `${workspace?.branch}`).trim()).toBe('One')
  })

  it('[R6] can be restored again if only the last event could not be written', async () => {
    const { fixture, id, path } = await removed()
    let failed = false
    const recording = record(fixture.dataDir, {
      inject({ call, path: name }) {
        if (failed || name !== 'ledger.jsonl' || call !== 'write') return null
        failed = existsSync(join(path, 'loose.txt'))
        return failed ? { code: 'EACCES' } : null
      },
    })
    // Files that were open before are not watched.
    const { client } = await fixture.restart()
    await expect(client.workspace.restore({ workspaceId: id })).rejects.toThrow('EACCES')
    recording.stop()
    expect(failed).toBe(true)
    const again = await fixture.restart()
    expect((await taskOf(fixture.shiplog, id)).archived).toBe(false)
    expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two\n')
    expect((await again.client.doctor.check({ repair: false })).problems).toEqual([])
  })

  it('[R6] uses a new branch if the old one has moved meanwhile', async () => {
    const { fixture, id } = await openFinished()
    const { client } = fixture.shiplog
    const branch = (await taskOf(fixture.shiplog, id)).workspace?.branch ?? ''
    await client.workspace.remove({ workspaceId: id })
    git(fixture.project.dir, 'checkout', '-q', branch)
    git(fixture.project.dir, 'commit', '-q', '--allow-empty', '-m', 'Mine')
    await client.workspace.restore({ workspaceId: id })
    expect((await taskOf(fixture.shiplog, id)).workspace?.branch).toBe(`${branch}-restored`)
  })

  it.each([
    { setting: 'input', ending: 'LF' },
    { setting: 'true', ending: 'CRLF' },
  ])(
    'says with which line endings it came back, where core.autocrlf is $setting',
    async ({ setting, ending }) => {
      const { fixture, id, restore } = await removed()
      git(fixture.project.dir, 'config', 'core.autocrlf', setting)
      await restore()
      const { notices } = await fixture.shiplog.client.app.info()
      expect(notices.map(({ text }) => text)).toContainEqual(
        `The uncommitted text files of "${(await taskOf(fixture.shiplog, id)).title}" were restored with ${ending} line endings, because core.autocrlf is ${setting} in its repository. They may have had others.`,
      )
    },
  )

  it('[R6] moves to the trash and back, and restores from there', async () => {
    const { fixture, id } = await openFinished()
    const { client } = fixture.shiplog
    await expect(client.workspace.trash({ workspaceId: id })).rejects.toMatchObject({
      data: { reason: 'not-archived' },
    })
    await client.workspace.remove({ workspaceId: id })
    const entries = await entriesOf(fixture.shiplog, id)
    expect((await client.workspace.trash({ workspaceId: id })).trashed).toEqual([id])
    expect((await client.workspace.trash({ workspaceId: id })).trashed).toEqual([])
    expect((await client.workspace.listTranscripts({})).transcripts).toEqual([])
    expect(await allTasks(fixture.shiplog)).toEqual([])
    await client.workspace.untrash({ workspaceId: id })
    expect(await entriesOf(fixture.shiplog, id)).toEqual(entries)
    await client.workspace.trash({ workspaceId: id })
    await client.workspace.restore({ workspaceId: id })
    expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: false, trashed: false })
  })
})

describe('a restore that a kill cut short', () => {
  it('[R6] continues at the next start', async () => {
    const { fixture, id, path } = await removed()
    await begunAndKilled(fixture, id)
    const shiplog = await fixture.restart()
    expect((await taskOf(shiplog, id)).archived).toBe(false)
    expect((await readdir(path)).sort()).toEqual(['.git', 'committed.txt', 'loose.txt'])
  })

  it('[R6] uses the worktree that it had created, with later changes in it', async () => {
    const { fixture, id, path, branch } = await removed()
    await begunAndKilled(fixture, id)
    git(fixture.project.dir, 'worktree', 'add', '-q', path, branch)
    await writeFile(join(path, 'mine.txt'), 'mine')
    const shiplog = await fixture.restart()
    expect(await taskOf(shiplog, id)).toMatchObject({ archived: false, workspace: { branch } })
    expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
  })

  it('[R6] has moved the leftovers back before it records that it is complete', async () => {
    const fixture = await openFixture()
    const ignored = "> loose.txt && echo '*.db' > .gitignore && echo rows > results.db"
    const id = await start(fixture, left.replace('> loose.txt', ignored))
    await untilQuiet(fixture.shiplog)
    const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
    await fixture.shiplog.client.workspace.remove({ workspaceId: id })
    const recording = record(fixture.dataDir)
    await fixture.restart()
    await fixture.shiplog.client.workspace.restore({ workspaceId: id })
    const { steps } = recording.stop()
    const target = join(relative(fixture.dataDir, path), 'results.db')
    const moved = steps.findIndex(
      ({ operation }) => operation.kind === 'rename' && operation.path === target,
    )
    const recorded = steps.findIndex(
      ({ operation }) =>
        operation.kind === 'write' && operation.data.includes('"workspace.restored"'),
    )
    expect(moved).toBeGreaterThan(0)
    expect(recorded).toBeGreaterThan(moved)
    expect(await readFile(join(path, 'results.db'), 'utf8')).toBe('rows\n')
  })

  it('[R6] is abandoned, and reported once, if something else is in its place', async () => {
    const { fixture, id, path } = await removed()
    await begunAndKilled(fixture, id)
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'mine.txt'), 'mine')
    await fixture.restart()
    expect(await problemsOf(fixture)).toEqual([expect.stringContaining('could not be restored')])
    await fixture.restart()
    expect(await problemsOf(fixture)).toEqual([])
    expect(await taskOf(fixture.shiplog, id)).toMatchObject({
      archived: true,
      workspace: { restoring: false },
    })
    expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
  })
})

describe('a restore that is refused', () => {
  it('[R6] [R3] does not change a folder in its place, and keeps the record in the archive', async () => {
    const { fixture, id, path, restore } = await removed()
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'mine.txt'), 'mine')
    const before = await taskOf(fixture.shiplog, id)
    await expect(restore()).rejects.toThrow(`${path} exists; move it away first.`)
    expect(await taskOf(fixture.shiplog, id)).toEqual(before)
    await fixture.restart()
    expect(await problemsOf(fixture)).toEqual([])
    expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
    const { client } = fixture.shiplog
    await client.workspace.trash({ workspaceId: id })
    await expect(client.workspace.restore({ workspaceId: id })).rejects.toThrow(
      'It was moved from the trash to the archive. The worktree',
    )
    expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true, trashed: false })
    await rename(path, `${path}-mine`)
    await client.workspace.restore({ workspaceId: id })
    expect((await readdir(path)).sort()).toEqual(['.git', 'committed.txt', 'loose.txt'])
  })

  it('[R6] [R3] does not change a worktree that the user created in its place', async () => {
    const { fixture, path, branch, restore } = await removed()
    git(fixture.project.dir, 'worktree', 'add', '-q', path, branch)
    await writeFile(join(path, 'mine.txt'), 'mine')
    await expect(restore()).rejects.toThrow('move it away first')
    await fixture.restart()
    expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
  })

  it('[R6] reports that its commits are missing, and can still be deleted', async () => {
    const { fixture, id, branch, restore } = await removed()
    const { dir } = fixture.project
    git(dir, 'branch', '-q', '-D', branch)
    await loseTurnStore(fixture)
    git(dir, 'reflog', 'expire', '--expire=now', '--all')
    git(dir, 'gc', '-q', '--prune=now')
    await expect(restore()).rejects.toThrow(/The commit [0-9a-f]{40} is no longer in/)
    await fixture.restart()
    expect(await problemsOf(fixture)).toEqual([])
    const { trashed } = await fixture.shiplog.client.workspace.trash({ workspaceId: id })
    expect(trashed).toEqual([id])
  })

  it('[R6] reports that the project is missing, and works once it is back', async () => {
    const { fixture, path, restore } = await removed()
    const { dir } = fixture.project
    await rename(dir, `${dir}-elsewhere`)
    await expect(restore()).rejects.toThrow(/is missing.*projects add/)
    await mkdir(dir)
    await expect(restore()).rejects.toThrow(`${dir} is missing or no longer a Git repository`)
    await rm(dir, { recursive: true })
    await rename(`${dir}-elsewhere`, dir)
    await restore()
    expect(existsSync(path)).toBe(true)
  })
})
