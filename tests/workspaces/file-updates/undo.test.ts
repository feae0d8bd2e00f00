/** Applying to a project, and taking it back, as the contract offers it. */
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  type Fixture,
  git,
  inTurnStore,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
  writeFiles,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'

const script = [
  'printf "one\\nTWO\\n" > a.txt',
  'git mv old.txt renamed.txt',
  'rm gone.txt',
  'chmod +x run.sh',
  'mkdir -p new/deep && echo new > new/deep/n.txt',
].join(' && ')

const scenario = `
version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with: { command: '${script}' }
`

const files = {
  'a.txt': 'one\ntwo\n',
  'old.txt': 'renamed by the agent\nsecond line\n',
  'gone.txt': 'gone\n',
  'run.sh': '#!/bin/sh\n',
}

const finished = preparedFixture(
  async (fixture) => {
    const taskId = await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    return { taskId, dir: fixture.project.dir }
  },
  { files },
)

const status = (dir: string) => git(dir, 'status', '--porcelain', '--untracked-files=all')
const patchOf = async (fixture: Fixture, taskId: string) =>
  (await taskOf(fixture.shiplog, taskId)).patch

it.each(['--skip-worktree', '--assume-unchanged'])(
  'an apply that is repeated leaves the undo of the first, where Git does not look at a deleted file (%s)',
  async (flag) => {
    const { fixture, taskId, dir } = await finished()
    const { client } = fixture.shiplog
    git(dir, 'update-index', flag, 'gone.txt')
    expect(await client.tasks.applyPatch({ taskId })).toMatchObject({ kind: 'applied' })
    expect(await client.tasks.applyPatch({ taskId })).toMatchObject({ kind: 'already-applied' })
    expect(await client.tasks.undoApply({ taskId })).toMatchObject({ kind: 'undone' })
    expect(await readFile(join(dir, 'gone.txt'), 'utf8')).toBe('gone\n')
    expect(status(dir)).toBe('')
  },
)

itInSoak('counts a renamed file once', async () => {
  const { fixture, taskId } = await finished()
  const { client } = fixture.shiplog
  const { files: shown } = await client.workspace.diff({ workspaceId: taskId })
  const outcome = await client.tasks.applyPatch({ taskId })
  expect(outcome).toMatchObject({ kind: 'applied', files: expect.any(Array) })
  const applied = outcome.kind === 'applied' ? outcome.files : []
  expect(applied).toHaveLength(shown.length)
  expect(applied).toContainEqual({ path: 'renamed.txt', change: 'renamed', oldPath: 'old.txt' })
  expect((await taskOf(fixture.shiplog, taskId)).fileUpdates).toMatchObject([
    { reason: 'apply', files: shown.length, root: fixture.project.dir, doneAt: expect.any(String) },
  ])
})

it('applies a selected part, keeps the status of the patch, and undoes only that part', async () => {
  const { fixture, taskId, dir } = await finished()
  const { client } = fixture.shiplog
  const { tree } = await client.workspace.diff({ workspaceId: taskId, patch: false })
  const pick = (...paths: string[]) =>
    client.tasks.applyPatch({
      taskId,
      selection: { tree: tree ?? '', files: paths.map((path) => ({ path })) },
    })
  expect((await pick('gone.txt', 'renamed.txt')).kind).toBe('applied')
  expect((await pick('a.txt')).kind).toBe('applied')
  expect(status(dir)).toBe(' M a.txt\n D gone.txt\n D old.txt\n?? renamed.txt\n')
  const task = await taskOf(fixture.shiplog, taskId)
  expect(task.patch).not.toBe('applied')
  expect(task.fileUpdates).toMatchObject([
    { partial: true, files: 2 },
    { partial: true, files: 1 },
  ])
  expect((await pick('a.txt')).kind).toBe('already-applied')
  await client.tasks.undoApply({ taskId })
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  await client.tasks.undoApply({ taskId })
  expect(status(dir)).toBe('')
  await expect(pick('run.txt')).rejects.toThrow(/changed nothing at run\.txt/)
  await writeFiles(task.workspace?.path ?? '', { 'later.txt': 'later\n' })
  await expect(pick('a.txt')).rejects.toThrow(/no longer those that were shown/)
})

it('undoes an apply to the byte, says that it is not applied, and applies again', async () => {
  const { fixture, taskId, dir } = await finished()
  const { client } = fixture.shiplog
  await writeFiles(dir, { 'mine.txt': 'not committed\n', 'staged.txt': 'staged\n' })
  git(dir, 'add', 'staged.txt')
  await chmod(join(dir, 'a.txt'), 0o640)
  const before = status(dir)
  expect((await client.tasks.applyPatch({ taskId })).kind).toBe('applied')
  const after = status(dir)
  expect(await patchOf(fixture, taskId)).toBe('applied')

  const undone = await client.tasks.undoApply({ taskId })
  expect(undone).toMatchObject({ kind: 'undone', files: 5 })
  expect(status(dir)).toBe(before)
  expect(await readFile(join(dir, 'gone.txt'), 'utf8')).toBe('gone\n')
  expect((await stat(join(dir, 'a.txt'))).mode & 0o777).toBe(0o640)
  expect((await stat(join(dir, 'run.sh'))).mode & 0o100).toBe(0)
  expect(await patchOf(fixture, taskId)).toBe('none')
  expect((await taskOf(fixture.shiplog, taskId)).fileUpdates).toBeUndefined()
  expect(inTurnStore(fixture, 'for-each-ref', 'refs/shiplog/updates')).toBe('')
  await expect(client.tasks.undoApply({ taskId })).rejects.toMatchObject({
    data: { reason: 'nothing-to-undo' },
  })

  expect((await client.tasks.applyPatch({ taskId })).kind).toBe('applied')
  expect(status(dir)).toBe(after)
})

it('undoes an apply exactly although the repository has replacement objects for the contents', async () => {
  const { fixture, taskId, dir } = await finished()
  const { client } = fixture.shiplog
  await client.tasks.applyPatch({ taskId })
  await writeFiles(dir, { 'as-long': 'GONE\n', longer: 'another length\n' })
  const replace = (path: string, by: string) =>
    git(
      dir,
      'replace',
      git(dir, 'rev-parse', `HEAD:${path}`).trim(),
      git(dir, 'hash-object', '-w', by).trim(),
    )
  replace('gone.txt', 'as-long')
  replace('old.txt', 'longer')
  await expect(client.tasks.undoApply({ taskId })).resolves.toMatchObject({ kind: 'undone' })
  for (const name of ['gone.txt', 'old.txt'] as const)
    expect(await readFile(join(dir, name), 'utf8')).toBe(files[name])
})

it('refuses an undo where a file was changed since, names it, and changes nothing', async () => {
  const { fixture, taskId, dir } = await finished()
  const { client } = fixture.shiplog
  await client.tasks.applyPatch({ taskId })
  await writeFile(join(dir, 'a.txt'), 'mine now\n')
  await writeFile(join(dir, 'gone.txt'), 'made again\n')
  const before = status(dir)
  const answer = await client.tasks.undoApply({ taskId })
  expect(answer).toMatchObject({ kind: 'changed-since', paths: ['a.txt', 'gone.txt'] })
  expect(status(dir)).toBe(before)
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('mine now\n')
  expect(await patchOf(fixture, taskId)).toBe('applied')
  // Put back as the apply left them, it can be undone.
  await writeFile(join(dir, 'a.txt'), 'one\nTWO\n')
  await rm(join(dir, 'gone.txt'))
  expect((await client.tasks.undoApply({ taskId })).kind).toBe('undone')
})

itInSoak('undoes an apply of an archived root, whose patch is then ready again', async () => {
  const { fixture, taskId, dir } = await finished()
  const before = status(dir)
  await fixture.shiplog.client.tasks.applyPatch({ taskId })
  await fixture.shiplog.client.workspace.remove({ workspaceId: taskId })
  const shiplog = await fixture.restart()
  expect(await patchOf(fixture, taskId)).toBe('applied')
  expect((await shiplog.client.tasks.undoApply({ taskId })).kind).toBe('undone')
  expect(status(dir)).toBe(before)
  expect(await patchOf(fixture, taskId)).toBe('ready')
  expect((await shiplog.client.tasks.applyPatch({ taskId })).kind).toBe('applied')
})

it('names files whose line endings follow a new .gitattributes', async () => {
  const fixture = await openFixture()
  const command = 'printf "*.bat text eol=crlf\\n" > .gitattributes && printf "echo\\n" > x.bat'
  const taskId = await start(fixture, scenario.replace(script, command))
  await untilQuiet(fixture.shiplog)
  const outcome = await fixture.shiplog.client.tasks.applyPatch({ taskId })
  expect(outcome).toMatchObject({ kind: 'applied', converted: ['x.bat'] })
  expect(await readFile(join(fixture.project.dir, 'x.bat'), 'utf8')).toBe('echo\r\n')
})

it('does not apply the changes of a running agent', async () => {
  const fixture = await openFixture({ files })
  const waits = `${scenario}      - steps: [{ wait: 1h }]\n`
  const taskId = await start(fixture, waits)
  const { client } = fixture.shiplog
  await until(fixture.shiplog, async () => {
    const { files: changed } = await client.workspace
      .diff({ workspaceId: taskId })
      .catch(() => ({ files: [] }))
    return changed.length > 0
  })
  const before = status(fixture.project.dir)
  await expect(client.tasks.applyPatch({ taskId })).rejects.toMatchObject({
    data: { reason: 'running' },
  })
  expect(status(fixture.project.dir)).toBe(before)
})

itInSoak('keeps what an apply replaced while the clock is far past the newest record', async () => {
  const { fixture, taskId } = await finished()
  const second = await start(fixture, scenario.replace(script, 'echo more > more.txt'))
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.client.tasks.applyPatch({ taskId })
  const [{ id } = { id: '' }] = (await taskOf(fixture.shiplog, taskId)).fileUpdates ?? []
  const kept = () => inTurnStore(fixture, 'for-each-ref', 'refs/shiplog/updates/')

  const tenYearsMs = 3650 * 24 * 60 * 60 * 1000
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + tenYearsMs })
  onTestFinished(() => void vi.useRealTimers())
  const { client } = await fixture.restart()
  await client.tasks.applyPatch({ taskId: second })
  expect(kept()).toContain(id)

  // The user says that the clock is right: then its days are over.
  await client.retention.sweep({ clockIsRight: true })
  await client.tasks.undoApply({ taskId: second })
  await client.tasks.applyPatch({ taskId: second })
  expect(kept()).not.toContain(id)
})
