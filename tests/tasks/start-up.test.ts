import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { temporaryDir } from '../harness.ts'
import { taskCreated } from '../ledger/histories.ts'

/** A data directory with that many archived roots, each with its directory, closed in good order. */
async function withArchived(count: number): Promise<string> {
  const dataDir = await temporaryDir()
  const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir)
  const projectId = newProjectId()
  const usage = { ...noUsage, inputTokens: 1, outputTokens: 1 }
  const transcript = { entries: 9, messages: 3, bytes: 700 }
  for (let n = 0; n < count; n++) {
    const taskId = newTaskId()
    await fs.mkdir(join(dataDir, 'archive', taskId), { recursive: true, mode: 0o700 })
    const events: LedgerEvent[] = [
      taskCreated(taskId, projectId),
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: 'root',
        isolation: 'worktree',
        path: `worktrees/api/${taskId}`,
        branch: null,
        baseCommit: null,
        baseBranch: null,
      },
      {
        type: 'task.spawned',
        taskId,
        run: 1,
        process: { pid: 1, startedAt: 'long ago' },
        spawnCommit: null,
      },
      { type: 'task.completed', taskId, run: 1, usage, transcript },
      {
        type: 'workspace.removal-advanced',
        workspaceId: taskId,
        step: 'removed',
        pending: null,
      },
    ]
    await ledger.record(...events)
  }
  await ledger.close()
  return dataDir
}

const looking = ['open', 'readFile', 'stat', 'lstat', 'readdir', 'access'] as const

/** The paths that `work` looks at through the file system, one of each call. */
async function pathsOf(work: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = []
  const real = { ...fs }
  for (const name of looking) {
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        paths.push(String(given[0]))
        return (real[name] as (...all: unknown[]) => unknown)(...given)
      },
    })
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
  return paths
}

it('[R2] looks at no file of an archived task, neither to start nor to list them', async () => {
  const count = 60
  const dataDir = await withArchived(count)
  const ids = await fs.readdir(join(dataDir, 'archive'))
  expect(ids).toHaveLength(count)
  const ofTasks = (paths: string[]) =>
    paths.filter((path) => ids.some((taskId) => path.includes(taskId)))

  const [first = ''] = ids
  let shiplog: Shiplog | undefined
  onTestFinished(() => shiplog?.close())
  const starting = await pathsOf(async () => {
    shiplog = await openShiplog({ dataDir, host: 'cli' })
    const { transcripts } = await shiplog.client.workspace.listTranscripts({})
    expect(transcripts).toHaveLength(count)
  })
  expect(starting.length).toBeGreaterThan(5)
  expect(ofTasks(starting)).toEqual([])

  const opening = await pathsOf(async () => {
    const transcript = shiplog?.client.workspace.getSubagentTranscript({ taskId: first })
    expect(await transcript).toMatchObject({ status: 'missing' })
  })
  expect(ofTasks(opening), 'what is looked at is seen here').not.toEqual([])
})
