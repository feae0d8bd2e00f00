/** An apply that can be neither ended nor taken back as a whole: what is kept, and what comes after it. */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Attempt, type Fault, record } from '../../crash/fault-fs/record.ts'
import {
  type Fixture,
  git,
  inTurnStore,
  openFixture,
  start,
  taskOf,
  untilQuiet,
} from '../../harness.ts'

const replaces = 'echo A > a.txt && echo B > b.txt && echo new > new.txt'
const scenario = (command: string) => `
version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with: { command: '${command}' }
`

async function finished(command = `${replaces} && rm gone.txt`) {
  const fixture = await openFixture({
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'gone.txt': 'gone\n' },
  })
  const taskId = await start(fixture, scenario(command))
  await untilQuiet(fixture.shiplog)
  return { fixture, taskId, dir: fixture.project.dir, client: fixture.shiplog.client }
}

/** `meanwhile` runs at each call that changes something in the project, before it is made. */
function during(dir: string, meanwhile: (attempt: Attempt) => Fault | null): void {
  const recording = record(dir, {
    ignore: (name) => name.startsWith('.git'),
    inject: (attempt) => (attempt.changes ? meanwhile(attempt) : null),
  })
  onTestFinished(() => void recording.stop())
}

const updatesIn = (fixture: Fixture) =>
  inTurnStore(fixture, 'for-each-ref', '--format=%(refname)', 'refs/shiplog/updates')
    .split('\n')
    .filter(Boolean)

it('[R3] keeps the earlier content of a file whose later change a rolled-back apply leaves', async () => {
  const { fixture, taskId, dir, client } = await finished()
  let edited = false
  during(dir, ({ call }) => {
    if (!edited && call === 'rename') {
      edited = true
      // Another process, which the recording does not see.
      execFileSync('sh', ['-c', 'echo mine > "$1"', 'sh', join(dir, 'gone.txt')])
    }
    return null
  })
  expect((await client.tasks.applyPatch({ taskId })).kind).not.toBe('applied')
  expect(edited).toBe(true)
  expect(git(dir, 'status', '--porcelain')).toBe(' M gone.txt\n')
  expect(await readFile(join(dir, 'gone.txt'), 'utf8')).toBe('mine\n')
  const [ref = ''] = updatesIn(fixture)
  expect(inTurnStore(fixture, 'show', `${ref}:before/gone.txt`)).toBe('gone\n')
})

it('[R3] does not merge with a half-written file of an earlier apply, once the disk has room', async () => {
  const { fixture, taskId, dir, client } = await finished()
  let isFull = true
  let renames = 0
  during(dir, ({ call }) => {
    if (call === 'rename') renames++
    // The first file is in its place; nothing else can be written, nor can that be taken back.
    return isFull && renames > 1 ? { code: 'ENOSPC' } : null
  })
  await expect(client.tasks.applyPatch({ taskId })).rejects.toThrow()
  expect(git(dir, 'status', '--porcelain')).toContain(' M a.txt\n')
  expect((await taskOf(fixture.shiplog, taskId)).fileUpdates).toMatchObject([{ doneAt: null }])
  isFull = false
  // The earlier one is ended first, and then there is nothing left to do.
  expect((await client.tasks.applyPatch({ taskId })).kind).toBe('already-applied')
  const { fileUpdates = [] } = await taskOf(fixture.shiplog, taskId)
  expect(fileUpdates.filter(({ doneAt }) => doneAt === null)).toEqual([])
  expect((await client.tasks.undoApply({ taskId })).kind).toBe('undone')
  expect(git(dir, 'status', '--porcelain')).toBe('')
})

it('[R3] names the files whose uncommitted work is kept only in the repository after a half-written apply was checked out', async () => {
  const lines = (first: string, last: string) => `${first}\n2\n3\n4\n5\n${last}\n`
  const fixture = await openFixture({ files: { 'a.txt': lines('1', '6'), 'b.txt': 'b\n' } })
  const { client } = fixture.shiplog
  const dir = fixture.project.dir
  const command = 'sed -i.bak 1s/.*/agent/ a.txt && rm a.txt.bak && echo B > b.txt'
  const taskId = await start(fixture, scenario(command))
  await untilQuiet(fixture.shiplog)
  await writeFile(join(dir, 'a.txt'), lines('1', 'mine'))
  let isFull = true
  let renames = 0
  during(dir, ({ call }) => {
    if (call === 'rename') renames++
    return isFull && renames > 1 ? { code: 'ENOSPC' } : null
  })
  await expect(client.tasks.applyPatch({ taskId })).rejects.toThrow()
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(lines('agent', 'mine'))
  git(dir, 'checkout', '--', '.')
  isFull = false
  const restarted = await fixture.restart()

  const { notices } = await restarted.client.app.info()
  const [ref = ''] = updatesIn(fixture)
  expect(inTurnStore(fixture, 'show', `${ref}:before/a.txt`)).toBe(lines('1', 'mine'))
  expect(notices).toMatchObject([
    { tone: 'warning', text: expect.stringContaining('1 file was changed since') },
  ])
  expect(JSON.stringify(notices)).toMatch(/a\.txt.*show [0-9a-f]+:before\//)
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(lines('1', '6'))
})

it('[R6] completes an apply whose folder was moved away, once it is back', async () => {
  // A deleted file is missing from a folder that is gone, as from one that it was deleted in.
  const { fixture, taskId, dir, client } = await finished(replaces)
  const away = `${dir}-away`
  let renames = 0
  during(dir, ({ call }) => {
    if (call === 'rename' && ++renames === 2) execFileSync('mv', [dir, away])
    return null
  })
  await expect(client.tasks.applyPatch({ taskId })).rejects.toThrow('the next start tries again')
  expect(git(away, 'status', '--porcelain')).toContain(' M a.txt\n')
  const without = await fixture.restart()
  const { notices } = await without.client.app.info()
  expect(notices).toMatchObject([
    { tone: 'error', text: expect.stringContaining('can’t be completed yet') },
  ])
  execFileSync('mv', [away, dir])
  const restarted = await fixture.restart()
  expect(JSON.stringify((await restarted.client.app.info()).notices)).toContain(
    'It has been completed',
  )
  expect(git(dir, 'status', '--porcelain')).toBe(' M a.txt\n M b.txt\n?? new.txt\n')
})

it('[R3] names a file that was changed after it was replaced, when the apply is rolled back', async () => {
  const { taskId, dir, client } = await finished()
  let renames = 0
  during(dir, ({ call }) => {
    if (call !== 'rename' || ++renames !== 2) return null
    execFileSync('sh', ['-c', 'echo mine >> "$1"', 'sh', join(dir, 'a.txt')])
    return { code: 'ENOSPC' }
  })
  await expect(client.tasks.applyPatch({ taskId })).rejects.toThrow(
    /^a\.txt in .* changed after it was written.* show [0-9a-f]+:before\/<file>$/,
  )
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('A\nmine\n')
  expect(git(dir, 'status', '--porcelain')).toBe(' M a.txt\n')
})

it('[R3] restores all other files if a folder took the place of one that a failed apply deleted', async () => {
  const { taskId, dir, client } = await finished('echo A > a.txt && rm b.txt gone.txt')
  let edited = false
  during(dir, ({ call, path }) => {
    if (!edited && call === 'unlink' && path.endsWith('gone.txt')) {
      edited = true
      // Another process, which the recording does not see. b.txt is deleted already.
      const commands = 'mkdir b.txt && echo in > b.txt/in.txt && echo mine >> gone.txt'
      execFileSync('sh', ['-c', commands], { cwd: dir })
    }
    return null
  })
  await expect(client.tasks.applyPatch({ taskId })).rejects.toThrow(
    `b.txt in ${dir} changed after it was written, and was left as it is`,
  )
  expect(edited).toBe(true)
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('a\n')
  expect(await readFile(join(dir, 'b.txt/in.txt'), 'utf8')).toBe('in\n')
  expect(await readFile(join(dir, 'gone.txt'), 'utf8')).toBe('gone\nmine\n')
})
