import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endProcessGroup } from '../../../src/main/agents/tools/process-group.ts'
import {
  createRunningCommands,
  endLeftCommands,
} from '../../../src/main/agents/tools/running-commands.ts'
import { temporaryDir } from '../../harness.ts'

/** A shell and what it started, as a tool leaves them whose process is killed. */
async function leave(folder: string): Promise<{ shell: ChildProcess; dir: string }> {
  const shell = spawn('sh', ['-c', 'sleep 600 & wait'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void shell.kill('SIGKILL'))
  const running = await createRunningCommands(folder).begin()
  await running.started(shell.pid as number, 'make voyage\n# at length')
  return { shell, dir: running.dir }
}

it('ends what was left running, with all it had started, and says so', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
  const gone = once(shell, 'exit')
  expect(await endLeftCommands(folder)).toEqual([
    'Ended a command that an agent had left running: make voyage',
  ])
  await gone
  // Whether any of it lives: a machine may keep the dead in their group.
  expect(await endProcessGroup(shell.pid as number)).toBe(false)
  expect(await readdir(folder)).toEqual([])
})

it('leaves a process alone that only has the number of one, and takes the folder away', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder)
  const file = join(dir, 'process.json')
  const known = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...known, startedAt: 'earlier' }))
  expect(await endLeftCommands(folder)).toEqual([])
  expect(shell.exitCode ?? shell.signalCode).toBeNull()
  expect(await readdir(folder)).toEqual([])
})

it('takes away what says nothing that can be read, and knows nothing of a folder that is not there', async () => {
  const folder = join(await temporaryDir(), 'running')
  expect(await endLeftCommands(folder)).toEqual([])
  const { dir } = await createRunningCommands(folder).begin()
  await writeFile(join(dir, 'process.json'), '{"pid":')
  expect(await endLeftCommands(folder)).toEqual([])
  expect(await readdir(folder)).toEqual([])
})

it('gives a command its folder elsewhere where none can be made', async () => {
  const file = join(await temporaryDir(), 'file')
  await writeFile(file, '')
  const running = await createRunningCommands(join(file, 'running')).begin()
  expect((await stat(running.dir)).isDirectory()).toBe(true)
  await running.ended()
  await expect(stat(running.dir)).rejects.toThrow('ENOENT')
})
