import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createCustody, endLeftoverCommands } from '../../src/main/processes/custody.ts'
import { endProcessGroup } from '../../src/main/processes/group.ts'
import { temporaryDir } from '../harness.ts'

/** A shell and what it started, as a tool leaves them whose process is killed. */
async function leave(
  folder: string,
  { script = 'sleep 600 & wait', isNoted = true, isMarked = true } = {},
): Promise<{ shell: ChildProcess; dir: string }> {
  const running = await createCustody(folder).begin('task', 'make voyage\n# at length')
  const env = { ...process.env, ...(isMarked && running.environment) }
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env })
  onTestFinished(() => void shell.kill('SIGKILL'))
  if (isNoted) await running.started(shell.pid as number)
  return { shell, dir: running.dir }
}

const onLinux = it.runIf(process.platform === 'linux')
const ended = 'Ended a command that was left running: make voyage'

it('ends what was left running, including its descendants, and reports that', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
  const gone = once(shell, 'exit')
  expect(await endLeftoverCommands(folder)).toEqual([ended])
  await gone
  // Whether any of it lives: a machine may keep the dead in their group.
  expect(await endProcessGroup(shell.pid as number)).toBe(false)
  expect(await readdir(folder)).toEqual([])
})

it('leaves a process alone that only has the number of one, and takes the folder away', async () => {
  const folder = join(await temporaryDir(), 'running')
  // A mark would prove that it is the command.
  const { shell, dir } = await leave(folder, { isMarked: false })
  const file = join(dir, 'process.json')
  const known = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...known, startedAt: 'earlier' }))
  expect(await endLeftoverCommands(folder)).toEqual([])
  expect(shell.exitCode ?? shell.signalCode).toBeNull()
  expect(await readdir(folder)).toEqual([])
})

onLinux('ends a command whose process id was not written down before the kill', async () => {
  const folder = join(await temporaryDir(), 'running')
  // Another program in the place of the shell keeps the mark.
  const { shell, dir } = await leave(folder, { script: 'exec sleep 600', isNoted: false })
  expect(await readdir(dir)).toEqual(['command.json'])
  const gone = once(shell, 'exit')
  expect(await endLeftoverCommands(folder)).toEqual([ended])
  await gone
  expect(await readdir(folder)).toEqual([])
})

/** Starts a process that leaves its group, from a shell that waits; resolves with its process id. */
async function leavingItsGroup(folder: string, owner = 'task') {
  const file = join(await temporaryDir(), 'pid')
  const running = await createCustody(folder).begin(owner, 'make voyage')
  const script = `setsid sh -c '(echo $$ > ${file}; exec sleep 600) &' & sleep 600 & wait`
  const env = { ...process.env, ...running.environment }
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env })
  onTestFinished(() => void shell.kill('SIGKILL'))
  await running.started(shell.pid as number)
  while (!(await readFile(file, 'utf8').catch(() => '')).endsWith('\n')) await sleep(10)
  const outside = Number(await readFile(file, 'utf8'))
  onTestFinished(() => endProcessGroup(outside).then(() => undefined))
  return { shell, running, outside }
}

onLinux('ends also what left its group, after its shell was killed', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, outside } = await leavingItsGroup(folder)
  const gone = once(shell, 'exit')
  shell.kill('SIGKILL')
  await gone
  expect(await endLeftoverCommands(folder)).toEqual([ended])
  expect(await endProcessGroup(shell.pid as number)).toBe(false)
  expect(await endProcessGroup(outside)).toBe(false)
})

onLinux('ends what a command left that had ended before the kill', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, running, outside } = await leavingItsGroup(folder)
  await endProcessGroup(shell.pid as number)
  await running.ended()
  expect(await endLeftoverCommands(folder)).toEqual([
    'Ended processes that commands had left running',
  ])
  expect(await endProcessGroup(outside)).toBe(false)
})

onLinux(
  'ends all of one owner in whatever group, and nothing of another or another folder',
  async () => {
    const folder = join(await temporaryDir(), 'running')
    const one = await leavingItsGroup(folder, 'one')
    const two = await leavingItsGroup(folder, 'two')
    const elsewhere = await leavingItsGroup(join(await temporaryDir(), 'running'), 'one')
    await createCustody(folder).endAll('one')
    expect(await endProcessGroup(one.outside)).toBe(false)
    expect(await endProcessGroup(one.shell.pid as number)).toBe(false)
    for (const { outside } of [two, elsewhere]) expect(await endProcessGroup(outside)).toBe(true)
  },
)

onLinux(
  'ends all of one owner but the process that calls it, and those that started it',
  async () => {
    const folder = join(await temporaryDir(), 'running')
    const running = await createCustody(folder).begin('task', 'shiplog tasks stop')
    const module = join(import.meta.dirname, '../../src/main/processes/custody.ts')
    const script = `
    const { createCustody } = await import(${JSON.stringify(module)})
    await createCustody(${JSON.stringify(folder)}).endAll('task')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...running.environment },
    })
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)

/** Changes what one of the files of a command says. */
async function change(file: string, changes: object): Promise<void> {
  const known = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...known, ...changes }))
}

it('leaves a command of another machine for a start there, and reports it once', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder, { isMarked: false })
  await change(join(dir, 'command.json'), { hostName: 'elsewhere' })
  await change(join(dir, 'process.json'), { startedAt: 'another-boot/1' })
  expect(await endLeftoverCommands(folder)).toEqual([
    'A command may still be running on the machine "elsewhere": make voyage',
  ])
  expect(await endLeftoverCommands(folder)).toEqual([])
  expect(shell.exitCode ?? shell.signalCode).toBeNull()
  expect(await readdir(folder)).toHaveLength(1)
})

onLinux('reports a command of a container that can’t be looked into', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder, { isMarked: false })
  await change(join(dir, 'command.json'), { pidNamespace: 'pid:[1]' })
  expect(await endLeftoverCommands(folder)).toEqual([
    'A command may still be running in another container: make voyage',
  ])
  expect(shell.exitCode ?? shell.signalCode).toBeNull()
})

onLinux.each([
  { by: 'its mark', isMarked: true, startedAt: 'another-boot/1' },
  { by: 'the boot', isMarked: false, startedAt: null },
])('ends a command by $by after the host name has changed', async ({ isMarked, startedAt }) => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder, { isMarked })
  await change(join(dir, 'command.json'), { hostName: 'earlier' })
  if (startedAt) await change(join(dir, 'process.json'), { startedAt })
  const gone = once(shell, 'exit')
  expect(await endLeftoverCommands(folder)).toEqual([ended])
  await gone
  expect(await readdir(folder)).toEqual([])
})

onLinux('ends a command by its mark that it sees in a container', async () => {
  const folder = join(await temporaryDir(), 'running')
  const { shell, dir } = await leave(folder)
  await change(join(dir, 'command.json'), { pidNamespace: 'pid:[1]' })
  const gone = once(shell, 'exit')
  expect(await endLeftoverCommands(folder)).toEqual([ended])
  await gone
})

onLinux('ends nothing of another data directory that was at the same path', async () => {
  const dataDir = join(await temporaryDir(), 'data')
  const folder = join(dataDir, 'running')
  await mkdir(dataDir)
  const { shell } = await leave(folder)
  await rename(dataDir, `${dataDir}-moved`)
  await mkdir(dataDir)
  expect(await endLeftoverCommands(folder)).toEqual([])
  expect(shell.exitCode ?? shell.signalCode).toBeNull()
  const gone = once(shell, 'exit')
  expect(await endLeftoverCommands(join(`${dataDir}-moved`, 'running'))).toEqual([ended])
  await gone
})

onLinux('leaves the command alone that this start was called from, for a later start', async () => {
  const folder = join(await temporaryDir(), 'running')
  const running = await createCustody(folder).begin('task', 'shiplog doctor')
  const module = join(import.meta.dirname, '../../src/main/processes/custody.ts')
  const script = `
    const { endLeftoverCommands } = await import(${JSON.stringify(module)})
    console.log(JSON.stringify(await endLeftoverCommands(${JSON.stringify(folder)})))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...running.environment },
  })
  await running.started(child.pid as number)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect({ output: output.trim(), code }).toEqual({ output: '[]', code: 0 })
  expect(await readdir(folder)).toHaveLength(1)
})

it('removes unreadable records, and finds none in a missing folder', async () => {
  const folder = join(await temporaryDir(), 'running')
  expect(await endLeftoverCommands(folder)).toEqual([])
  const { dir } = await createCustody(folder).begin('task', 'true')
  await writeFile(join(dir, 'process.json'), '{"pid":')
  expect(await endLeftoverCommands(folder)).toEqual([])
  expect(await readdir(folder)).toEqual([])
})

it('gives a command its folder elsewhere where none can be made', async () => {
  const file = join(await temporaryDir(), 'file')
  await writeFile(file, '')
  const running = await createCustody(join(file, 'running')).begin('task', 'true')
  expect((await stat(running.dir)).isDirectory()).toBe(true)
  await running.ended()
  await expect(stat(running.dir)).rejects.toThrow('ENOENT')
})
