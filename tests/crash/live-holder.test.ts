/** What the next command makes of a run that has not ended: is its process alive? Of the built command line. */
import { existsSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { createSandbox, type RunningCli, type Sandbox } from '../cli/processes/shiplog-process.ts'

const slow = `
version: 1
name: slow
agents:
  lead:
    turns:
      - steps:
          - say: Begun.
          - wait: 300s
`
/** Ends when the file is there, or its folder no more. */
const untilTold = (file: string) => `
version: 1
name: until-told
agents:
  lead:
    turns:
      - say: Begun.
      - call: bash
        with: { command: "while [ ! -e '${file}' ] && [ -d '${path.dirname(file)}' ]; do sleep 0.1; done" }
      - report: { title: Told, markdown: Told. }
`
/** Starts of the command line on a busy machine. */
const timeoutMs = 240_000

let box: Sandbox
let holder: RunningCli
let leaseFile: string
beforeEach(async () => {
  box = await createSandbox()
  const project = await box.repository('project')
  const scenario = await box.file('slow.yaml', slow)
  leaseFile = path.join(box.dataDir, 'lease.json')
  holder = box.start(['agent', 'run', 'Hold', '--project', project, '--scenario', scenario])
  await holder.said('Begun.')
}, timeoutMs)
afterEach(() => box.remove())

const statusNow = async () => {
  const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
  return tasks.map(({ status }) => status)
}

async function kill(): Promise<void> {
  holder.kill('SIGKILL')
  await holder.ended
}

it(
  '[T3] does not call a run interrupted whose process lives, also when somebody deleted its lease',
  async () => {
    const ledger = path.join(box.dataDir, 'ledger.jsonl')
    const before = await readFile(ledger)
    await rm(leaseFile)
    // The holder writes it again, and executes the command.
    expect(await statusNow()).toEqual(['spawned'])
    expect(existsSync(leaseFile)).toBe(true)
    expect(await readFile(ledger)).toEqual(before)
    await kill()
    expect(await statusNow()).toEqual(['interrupted'])
  },
  timeoutMs,
)

it(
  '[T3] takes another process with the same pid, as its start time tells, for nobody',
  async () => {
    await kill()
    // As after a restart of the machine: the pid is somebody else's by now, here this test's own.
    const lease = JSON.parse(await readFile(leaseFile, 'utf8'))
    await writeFile(leaseFile, JSON.stringify({ ...lease, pid: process.pid }))
    expect(await statusNow()).toEqual(['interrupted'])
  },
  timeoutMs,
)

it(
  '[T3] a holder that another process has displaced ends with 6, and tries nothing again',
  async () => {
    const project = await box.repository('displaced')
    const told = path.join(box.dir, 'told')
    const scenario = await box.file('until-told.yaml', untilTold(told))
    const dataDir = path.join(box.dir, 'displaced-data')
    const displaced = box.start([
      ...['agent', 'run', 'Hold', '--project', project, '--scenario', scenario],
      ...['--data-dir', dataDir],
    ])
    await displaced.said('Begun.')
    await appendFile(path.join(dataDir, 'ledger.jsonl'), 'a line of another process\n')
    await writeFile(told, '')
    const { code, stderr } = await displaced.ended
    expect(code).toBe(6)
    expect(stderr).toContain('another process writes the data directory')
  },
  timeoutMs,
)
