/** A worktree whose folder is gone is removed with the last state that was recorded of it (R1). */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import {
  git,
  inTurnStore,
  loseTurnStore,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { casesOf } from '../../soak.ts'

const commit = `
      - call: write_file
        with: { path: committed.txt, content: "committed" }
      - call: bash
        with: { command: "git add -A && git commit -q -m Committed" }`
const uncommitted = `
      - call: write_file
        with: { path: open.txt, content: "not committed" }`

const scenario = (work: string) => `
version: 1
name: gone
agents:
  lead:
    turns:${work}
      - report: { title: Led, markdown: Led. }
      - report: { title: Again, markdown: Again. }
`

const withSubAgent = (work: string) => `
version: 1
name: gone below
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - say: Done.
  worker:
    turns:${work}
      - report: { title: Worked, markdown: Done. }
`

async function afterRoot(work: string) {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n' } })
  const id = await start(fixture, scenario(work))
  await untilQuiet(fixture.shiplog)
  const { path = '', branch = '' } = (await taskOf(fixture.shiplog, id)).workspace ?? {}
  return { fixture, id, path, branch: branch ?? '' }
}

async function afterSubAgent(work: string) {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n' } })
  const root = await start(fixture, withSubAgent(work), { keep: true })
  await until(
    fixture.shiplog,
    (tasks) => tasks.find(({ id }) => id === root)?.status === 'completed',
  )
  const { id, workspace } = await taskOf(fixture.shiplog, 'Work')
  const { path = '', branch = '' } = workspace ?? {}
  return { fixture, root, id, path, branch: branch ?? '' }
}

type Shiplog = Awaited<ReturnType<typeof afterRoot>>['fixture']['shiplog']

const noticesOf = async ({ client }: Shiplog) =>
  (await client.app.info()).notices.map(({ text }) => text)

const works: [string, string, string[], string][] = [
  ['commits only', commit, ['committed.txt'], ''],
  ['uncommitted work only', uncommitted, ['open.txt'], '?? open.txt\n'],
  ['both', commit + uncommitted, ['committed.txt', 'open.txt'], '?? open.txt\n'],
]

it.each(casesOf(works, ([what]) => what === 'both'))(
  '[R1] saves the last recorded state of a root whose folder is gone, and restores it: %s',
  async (_, work, paths, status) => {
    const { fixture, id, path, branch } = await afterRoot(work)
    const { client } = fixture.shiplog
    await rm(path, { recursive: true })
    await expect(client.workspace.diff({ workspaceId: id })).rejects.toThrow(
      'is gone or incomplete, so its changes can',
    )
    await client.workspace.remove({ workspaceId: id })
    expect((await taskOf(fixture.shiplog, id)).patch).toBe('ready')
    expect(await noticesOf(fixture.shiplog)).toContainEqual(
      expect.stringMatching(/^The folder of ".*" was gone: its last recorded state, of .*\d, was/),
    )
    const { files } = await client.workspace.diff({ workspaceId: id })
    expect(files.map((file) => file.path)).toEqual(paths)
    await client.workspace.restore({ workspaceId: id })
    for (const name of paths) expect(existsSync(join(path, name))).toBe(true)
    expect(git(path, 'status', '--porcelain')).toBe(status)
    expect(git(path, 'branch', '--show-current').trim()).toBe(branch)
  },
)

it.each(casesOf(['missing', 'empty', 'partial'], (state) => state === 'partial'))(
  '[R1] saves the last recorded state of a sub-agent, and applies it: its folder is %s',
  async (state) => {
    const { fixture, id, path, branch } = await afterSubAgent(commit + uncommitted)
    const { dir } = fixture.project
    await rm(path, { recursive: true })
    if (state === 'empty') await mkdir(path)
    if (state === 'partial') {
      git(dir, 'worktree', 'prune')
      const locked = ['--no-checkout', '--lock', '--reason', 'initializing']
      git(dir, 'worktree', 'add', '-q', ...locked, path, branch)
    }
    const { client } = fixture.shiplog
    await client.workspace.remove({ workspaceId: id })
    expect(git(dir, 'branch', '--list', branch)).toBe('')
    git(dir, 'reflog', 'expire', '--expire=now', '--all')
    git(dir, 'gc', '-q', '--prune=now')
    expect((await client.tasks.applyPatch({ taskId: id })).kind).toBe('applied')
    const { workspace } = await taskOf(fixture.shiplog, 'lead').catch(() => ({ workspace: null }))
    const target = workspace?.path ?? (await client.workspace.diff({ workspaceId: id })).target.path
    expect(readFileSync(join(target, 'committed.txt'), 'utf8')).toBe('committed')
    expect(readFileSync(join(target, 'open.txt'), 'utf8')).toBe('not committed')
  },
)

it('[R1] saves commits that were made after the last record, with the recorded work on top', async () => {
  const { fixture, id, path } = await afterRoot(uncommitted)
  await writeFile(join(path, 'late.txt'), 'late\n')
  git(path, 'add', 'late.txt')
  git(path, 'commit', '-q', '-m', 'Late')
  await rm(path, { recursive: true })
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  await client.workspace.restore({ workspaceId: id })
  expect(existsSync(join(path, 'late.txt'))).toBe(true)
  expect(git(path, 'status', '--porcelain')).toBe('?? open.txt\n')
})

it('[R1] [R3] saves the record as it is if its branch moved on in conflict, and keeps the branch', async () => {
  const { fixture, id, path, branch } = await afterSubAgent(commit + uncommitted)
  await writeFile(join(path, 'open.txt'), 'in conflict\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'Conflict')
  await rm(path, { recursive: true })
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  const { patch } = await client.workspace.diff({ workspaceId: id })
  expect(patch).toContain('+not committed')
  expect(git(fixture.project.dir, 'show', `${branch}:open.txt`)).toBe('in conflict\n')
  expect(await noticesOf(fixture.shiplog)).toContain(
    `The branch ${branch} of "Work" was kept, because it has commits that were not saved`,
  )
})

it('[R1] saves the recorded commits of a branch that was reset', async () => {
  const { fixture, id, path } = await afterSubAgent(commit)
  git(path, 'reset', '-q', '--hard', 'HEAD~1')
  await rm(path, { recursive: true })
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  const { files } = await client.workspace.diff({ workspaceId: id })
  expect(files.map((file) => file.path)).toEqual(['committed.txt'])
})

it('[R1] saves the commits of the branch if no state is kept', async () => {
  const { fixture, id, path } = await afterRoot(commit + uncommitted)
  await fixture.shiplog.close()
  await loseTurnStore(fixture)
  await rm(path, { recursive: true })
  const shiplog = await fixture.restart()
  await shiplog.client.workspace.remove({ workspaceId: id })
  const { files } = await shiplog.client.workspace.diff({ workspaceId: id })
  expect(files.map((file) => file.path)).toEqual(['committed.txt'])
})

it('[R1] says that nothing could be saved if nothing was recorded', async () => {
  const { fixture, id, path, branch } = await afterRoot(uncommitted)
  await fixture.shiplog.close()
  await loseTurnStore(fixture)
  await rm(path, { recursive: true })
  git(fixture.project.dir, 'worktree', 'prune')
  git(fixture.project.dir, 'branch', '-D', branch)
  await rm(join(layoutOf(fixture.dataDir).sessionDir(id), 'chat.jsonl'))
  const shiplog = await fixture.restart()
  await shiplog.client.workspace.remove({ workspaceId: id })
  expect((await taskOf(shiplog, id)).patch).toBe('failed')
  expect(await noticesOf(shiplog)).toContainEqual(expect.stringContaining('could not be saved'))
})

it('[R1] saves what was recorded after a restore, not the patch of the removal before it', async () => {
  const { fixture, id, path } = await afterRoot(uncommitted)
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  await client.workspace.restore({ workspaceId: id })
  await writeFile(join(path, 'later.txt'), 'later\n')
  await client.tasks.prompt({ taskId: id, prompt: 'Go on' })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  await rm(path, { recursive: true })
  await client.workspace.remove({ workspaceId: id })
  const { files } = await client.workspace.diff({ workspaceId: id })
  expect(files.map((file) => file.path)).toEqual(['later.txt', 'open.txt'])
})

it('[R3] keeps commits of a detached HEAD that no run recorded', async () => {
  const { fixture, id, path } = await afterSubAgent(uncommitted)
  git(path, 'checkout', '-q', '--detach')
  await writeFile(join(path, 'late.txt'), 'late\n')
  git(path, 'add', 'late.txt')
  git(path, 'commit', '-q', '-m', 'Late')
  const late = git(path, 'rev-parse', 'HEAD').trim()
  await rm(path, { recursive: true })
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  git(fixture.project.dir, 'reflog', 'expire', '--expire=now', '--all')
  git(fixture.project.dir, 'gc', '-q', '--prune=now')
  expect(inTurnStore(fixture, 'show', `${late}:late.txt`)).toBe('late\n')
})

const moments: [string, string[]][] = [
  ['before the save', ['committed.txt', 'open.txt']],
  ['after the save', ['committed.txt', 'open.txt']],
  // The folder was still there when it was saved.
  ['after the deletion', ['by-hand.txt', 'committed.txt', 'open.txt']],
]

it.each(casesOf(moments, ([moment]) => moment === 'after the save'))(
  '[R1] a removal that a kill interrupted %s ends with what is saved at the next start',
  async (moment, names) => {
    const { fixture, root, id, path } = await afterSubAgent(commit + uncommitted)
    const { ledger: file, sessionDir } = layoutOf(fixture.dataDir)
    if (moment === 'after the deletion') await writeFile(join(path, 'by-hand.txt'), 'late\n')
    else await rm(path, { recursive: true })
    await fixture.shiplog.close()
    const before = `${fixture.dataDir}-before`
    await cp(fixture.dataDir, before, { recursive: true })
    if (moment !== 'before the save') {
      const removed = await fixture.restart()
      await removed.client.workspace.remove({ workspaceId: id })
      await removed.close()
      // The patch and the turn store are written before the ledger tells of them.
      const inBefore = (name: string) => join(before, relative(fixture.dataDir, name))
      const written = [join(fixture.dataDir, 'turn-store')]
      for (const name of ['subagent-patches', 'subagent-patches.json'])
        written.push(join(sessionDir(root), name))
      for (const name of written) await cp(name, inBefore(name), { recursive: true })
      await rm(fixture.dataDir, { recursive: true })
      await cp(before, fixture.dataDir, { recursive: true })
    }
    await rm(before, { recursive: true })
    await rm(path, { recursive: true, force: true })
    const ledger = await openJournal(file)
    for (const step of ['started', 'runs-stopped', 'totals-recorded'])
      await ledger.append({
        v: 1,
        type: 'workspace.removal-advanced',
        workspaceId: id,
        step,
        pending: null,
      })
    await ledger.close()
    const shiplog = await fixture.restart()
    await until(
      shiplog,
      (tasks) => tasks.find((one) => one.id === id)?.workspace?.removal === 'removed',
    )
    expect((await taskOf(shiplog, id)).patch).toBe('ready')
    const { files } = await shiplog.client.workspace.diff({ workspaceId: id })
    expect(files.map((one) => one.path)).toEqual(names)
  },
)

const lost: [string, string, string][] = [
  ['uncommitted', commit + uncommitted, 'open.txt'],
  ['committed', commit, 'committed.txt'],
]

it.each(casesOf(lost, ([what]) => what === 'committed'))(
  '[R5] ends a removal although a file of the record is lost that was %s',
  async (_, work, name) => {
    const { fixture, id, path } = await afterRoot(work)
    await fixture.shiplog.close()
    const blob = inTurnStore(fixture, 'rev-parse', `refs/sessions/${id}:${name}`).trim()
    // Every object in a file of its own, but for that one.
    const objects = join(fixture.dataDir, 'turn-store', fixture.project.id, 'objects')
    const packs = (await readdir(join(objects, 'pack'))).filter((name) => name.endsWith('.pack'))
    for (const name of packs) {
      await cp(join(objects, 'pack', name), `${fixture.dataDir}-${name}`)
      await rm(join(objects, 'pack', name))
      const pack = readFileSync(`${fixture.dataDir}-${name}`)
      execFileSync('git', [`--git-dir=${join(objects, '..')}`, 'unpack-objects', '-q'], {
        input: pack,
      })
      await rm(`${fixture.dataDir}-${name}`)
    }
    for (const dir of [objects, join(fixture.project.dir, '.git', 'objects')])
      await rm(join(dir, blob.slice(0, 2), blob.slice(2)), { force: true })
    await rm(path, { recursive: true })
    const shiplog = await fixture.restart()
    await shiplog.client.workspace.remove({ workspaceId: id })
    expect((await taskOf(shiplog, id)).patch).toBe('failed')
    expect(await noticesOf(shiplog)).toContainEqual(expect.stringContaining('could not be saved'))
  },
)
