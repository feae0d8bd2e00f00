/** An apply into a folder in which another program writes at the same time. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { record } from '../../crash/fault-fs/record.ts'
import { git, openFixture, start, untilQuiet } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

const lines = Array.from({ length: 12 }, (_, n) => `${n}\n`).join('')

const scenario = `
version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with: { command: 'sed -i "s/^0$/agent/" a.txt && echo new > new.txt' }
`

async function finished() {
  const fixture = await openFixture({ files: { 'a.txt': lines } })
  const taskId = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  return { taskId, dir: fixture.project.dir, client: fixture.shiplog.client }
}

/** Runs `edit` before each rename that replaces a file. */
function whileReplaced(dir: string, edit: () => unknown): void {
  const recording = record(dir, {
    ignore: (name) => name.startsWith('.git'),
    inject: ({ call }) => {
      if (call === 'rename') edit()
      return null
    },
  })
  onTestFinished(() => void recording.stop())
}

it('merges again with what another program wrote while the changes were being applied', async () => {
  const { taskId, dir, client } = await finished()
  let edits = 0
  whileReplaced(dir, () => {
    if (edits++ === 0) execFileSync('sh', ['-c', 'echo mine >> "$1"', 'sh', join(dir, 'a.txt')])
  })
  expect(await client.tasks.applyPatch({ taskId })).toMatchObject({ kind: 'applied' })
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(
    `${lines.replace('0\n', 'agent\n')}mine\n`,
  )
  expect(await client.tasks.undoApply({ taskId })).toMatchObject({ kind: 'undone' })
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(`${lines}mine\n`)
  expect(git(dir, 'status', '--porcelain')).toBe(' M a.txt\n')
})

it('changes nothing if a program keeps writing to a file that it has open, and detaches no file from it', async () => {
  const { taskId, dir, client } = await finished()
  const log = openSync(join(dir, 'a.txt'), 'a')
  onTestFinished(() => closeSync(log))
  let edits = 0
  whileReplaced(dir, () => writeSync(log, `${++edits}\n`))
  expect(await client.tasks.applyPatch({ taskId })).toMatchObject({
    kind: 'conflict',
    paths: ['a.txt'],
    message: expect.stringContaining('it was edited while the changes were being applied'),
  })
  writeSync(log, 'last\n')
  const written = Array.from({ length: edits }, (_, n) => `${n + 1}\n`).join('')
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(`${lines}${written}last\n`)
  expect(git(dir, 'status', '--porcelain')).toBe(' M a.txt\n')
})

itInSoak('reports a conflict if what another program wrote does not fit', async () => {
  const { taskId, dir, client } = await finished()
  const mine = lines.replace('0\n', 'mine\n')
  // Into the file itself, in another process, which the recording does not see.
  whileReplaced(dir, () =>
    execFileSync('sh', ['-c', 'cat > "$1"', 'sh', join(dir, 'a.txt')], { input: mine }),
  )
  expect(await client.tasks.applyPatch({ taskId })).toMatchObject({
    kind: 'conflict',
    paths: ['a.txt'],
  })
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(mine)
})
