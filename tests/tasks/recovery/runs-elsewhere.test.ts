import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../../src/main/composition/shiplog.ts'
import { failureOf } from '../../../src/main/hosts/cli/exit-codes.ts'
import { openLedger } from '../../../src/main/ledger/ledger.ts'
import { ownIdentity, processStartedAt } from '../../../src/main/processes/identity.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { ProcessIdentity } from '../../../src/shared/records/tasks/runs.ts'
import { taskOf, temporaryDir } from '../../harness.ts'
import { taskCreated } from '../../ledger/histories.ts'
import { itInSoak } from '../../soak.ts'

/** A data directory whose ledger says that this process runs a task in it. */
async function runBy(process: ProcessIdentity): Promise<{ dataDir: string; taskId: TaskId }> {
  const dataDir = await temporaryDir()
  const taskId = newTaskId()
  const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir)
  await ledger.record(
    { ...taskCreated(taskId, newProjectId()), title: 'Mend the sails' },
    { type: 'task.spawned', taskId, run: 1, process, spawnCommit: null },
  )
  await ledger.close()
  return { dataDir, taskId }
}

/** A process that lives until `end`, or until the test has finished. */
async function liveProcess() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(end)
  const pid = child.pid ?? 0
  const startedAt = (await processStartedAt(pid)) ?? ''
  return { identity: { ...(await ownIdentity()), pid, startedAt }, end }
}

async function statusAfterStart(dataDir: string, taskId: TaskId) {
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  onTestFinished(() => shiplog.close())
  const { status, runs } = await taskOf(shiplog, taskId)
  return { status, run: runs.at(-1) }
}

it('[T3] does not start while a process that lost the lease still runs an agent, and names that process', async () => {
  const other = await liveProcess()
  const { dataDir, taskId } = await runBy(other.identity)
  const before = await readFile(join(dataDir, 'ledger.jsonl'), 'utf8')
  const error = await openShiplog({ dataDir, host: 'cli' }).catch((thrown: unknown) => thrown)
  expect(failureOf(error)).toMatchObject({
    exitCode: 6,
    message: expect.stringContaining(
      `process ${other.identity.pid} still runs agents here ("Mend the sails")`,
    ),
  })
  expect(await readFile(join(dataDir, 'ledger.jsonl'), 'utf8')).toBe(before)

  await other.end()
  const { status, run } = await statusAfterStart(dataDir, taskId)
  expect([status, run?.status]).toEqual(['interrupted', 'interrupted'])
  expect(run).not.toHaveProperty('process.pid')
})

itInSoak(
  '[T3] takes a pid that another process has now for what it is: the run was interrupted',
  async () => {
    const other = await liveProcess()
    const { dataDir, taskId } = await runBy({ ...other.identity, startedAt: 'some other time' })
    expect((await statusAfterStart(dataDir, taskId)).status).toBe('interrupted')
  },
)

it('[T3] a start time that no system reported prevents no start', async () => {
  const other = await liveProcess()
  const { dataDir, taskId } = await runBy({ ...other.identity, startedAt: 'unknown' })
  expect((await statusAfterStart(dataDir, taskId)).status).toBe('interrupted')
})

itInSoak(
  '[T3] ends the runs that this very process had begun before it let go of the data directory',
  async () => {
    const { dataDir, taskId } = await runBy(await ownIdentity())
    expect((await statusAfterStart(dataDir, taskId)).status).toBe('interrupted')
  },
)
