import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
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

/** Calls of the file system that `work` makes, each by its name. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = []
  const real = { ...fs }
  for (const name of looking) {
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        calls.push(name)
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
  return calls.toSorted()
}

it('[R2] looks at no file of an archived task, neither to start nor to list them', async () => {
  const looks: string[][] = []
  for (const count of [3, 60]) {
    const dataDir = await withArchived(count)
    looks.push(
      await callsOf(async () => {
        const shiplog = await openShiplog({ dataDir, host: 'cli' })
        onTestFinished(() => shiplog.close())
        const { transcripts } = await shiplog.client.workspace.listTranscripts({})
        expect(transcripts).toHaveLength(count)
        await shiplog.close()
      }),
    )
  }
  const [few, many] = looks
  expect(few?.length).toBeGreaterThan(5)
  expect(many).toEqual(few)
})
