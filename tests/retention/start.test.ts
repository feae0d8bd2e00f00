/** A start never waits for retention, however much there is to do (X3). */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { createRetention } from '../../src/main/retention/retention.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { WorkspaceService } from '../../src/main/workspaces/workspace-service.ts'
import type { Sweep } from '../../src/shared/contract/retention.ts'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import { temporaryDir } from '../harness.ts'
import { dayMs } from './tasks.ts'

/** Nothing here is timed: more of them show the same. */
const archivedTasks = 1_000

it('[X3] continues with many archived tasks while nothing of the sweep has been done', async () => {
  const dataDir = await temporaryDir()
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const projectId = newProjectId()
  for (let n = 0; n < archivedTasks; n += 500) {
    await ledger.record(...Array.from({ length: 500 }, () => archivedTask(projectId)).flat())
  }
  const gate = Promise.withResolvers<void>()
  const swept: Sweep[] = []
  const problems: string[] = []
  const retention = await createRetention({
    ledger,
    layout,
    workspaces: {
      exclusively: async (_: unknown, work: () => Promise<unknown>) => {
        await gate.promise
        return work()
      },
    } as unknown as WorkspaceService,
    clock: () => Date.now() + 8 * dayMs,
    onProblem: (text, error) => void problems.push(`${text}: ${error}`),
    onSwept: (sweep) => void swept.push(sweep),
    onUndone: () => {},
    onSettingsLost: () => {},
    onClockAhead: (text) => expect.fail(text),
    onClockConfirmed: () => {},
    override: { transcriptTtlDays: 7 },
  })
  const [oldest] = ledger.state.tasks.keys()
  if (!oldest) throw new Error('no tasks')
  await mkdir(join(layout.archiveDir(oldest), 'blobs'), { recursive: true })
  const before = ledger.state.seq

  retention.begin({ sweep: true })
  // The start has returned at once: not a single event of the sweep has been recorded.
  expect(ledger.state.seq).toBe(before)
  // Everything else goes on while the sweep is held up.
  await retention.pin(oldest, false)
  expect(retention.settings().transcriptTtlDays).toBe(7)

  gate.resolve()
  await retention.settled()
  expect({ problems, swept: swept.map(({ removed }) => removed.length) }).toEqual({
    problems: [],
    swept: [1],
  })
  await retention.close()
  await ledger.close()
})

it('[X3] stops after the current transcript if Shiplog is closed', async () => {
  const dataDir = await temporaryDir()
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const projectId = newProjectId()
  await ledger.record(...Array.from({ length: 5 }, () => archivedTask(projectId)).flat())
  for (const id of ledger.state.tasks.keys())
    await mkdir(join(layout.archiveDir(id), 'blobs'), { recursive: true })
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const retention = await createRetention({
    ledger,
    layout,
    workspaces: {
      exclusively: async (_: unknown, work: () => Promise<unknown>) => {
        reached.resolve()
        await gate.promise
        return work()
      },
    } as unknown as WorkspaceService,
    clock: () => Date.now() + 8 * dayMs,
    onProblem: (text, error) => expect.fail(`${text}: ${error}`),
    onSwept: () => {},
    onUndone: () => {},
    onSettingsLost: () => {},
    onClockAhead: (text) => expect.fail(text),
    onClockConfirmed: () => {},
    override: { transcriptTtlDays: 7 },
  })
  const sweeping = retention.sweep()
  await reached.promise
  const closed = retention.close()
  gate.resolve()
  await closed
  // All were said to go, one was moved; the next start moves the others.
  expect((await sweeping).removed).toHaveLength(1)
  const expired = [...ledger.state.tasks.values()].filter((task) => task.transcriptExpired)
  expect(expired).toHaveLength(5)
  await ledger.close()
})

function archivedTask(projectId: ReturnType<typeof newProjectId>): LedgerEvent[] {
  const taskId = newTaskId()
  const run = { taskId, run: 1 }
  return [
    {
      type: 'task.created',
      taskId,
      parentId: null,
      rootId: taskId,
      projectId,
      title: 'Old',
      agent: 'lead',
      spec: scriptedSpec(),
      prompt: '',
      model: null,
      isolation: 'in-place',
      callId: null,
      resumedFrom: null,
      dependsOn: [],
      plan: {},
      options: { agentsAtOnce: 3, keep: false },
    },
    { type: 'task.spawned', ...run, process: { pid: 1, startedAt: '1' }, spawnCommit: null },
    {
      type: 'task.completed',
      ...run,
      usage: noUsage,
    },
    {
      type: 'workspace.created',
      workspaceId: taskId,
      kind: 'root',
      isolation: 'in-place',
      path: '/code',
      branch: null,
      baseCommit: null,
      baseBranch: null,
    },
    {
      type: 'workspace.removal-advanced',
      workspaceId: taskId,
      step: 'removed',
      pending: null,
    },
  ]
}
