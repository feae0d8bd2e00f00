/** What the user is shown of a task at work, through the services that show it. */

import { expect, it, onTestFinished, vi } from 'vitest'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import { openLayers } from '../crash/layers.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import { temporaryDir } from '../harness.ts'
import { deferred, spyOnHandles } from '../journal/disk-faults.ts'

it('[J6] shows and counts only durable entries of a running task', async () => {
  const { ledger, sessions, layout, workspaces } = await openLayers(await temporaryDir())
  onTestFinished(() => ledger.close())
  const taskId = newTaskId()
  const projectId = newProjectId()
  const place = { isolation: 'in-place', path: '/nowhere/p' } as const
  const git = { branch: null, baseCommit: null, baseBranch: null }
  await ledger.record(
    { type: 'project.added', projectId, name: 'p', dir: place.path, git: false },
    {
      type: 'task.created',
      taskId,
      parentId: null,
      rootId: taskId,
      projectId,
      title: 'At work',
      agent: 'a',
      spec: scriptedSpec(),
      prompt: 'Go',
      model: null,
      isolation: place.isolation,
      callId: null,
      resumedFrom: null,
      dependsOn: [],
      options: { agentsAtOnce: 3, keep: false },
      plan: {},
    },
    { type: 'workspace.created', workspaceId: taskId, kind: 'root', ...place, ...git },
    {
      type: 'task.spawned',
      taskId,
      run: 1,
      process: { pid: 1, startedAt: 'now' },
      spawnCommit: null,
    },
  )
  const session = await sessions.open(taskId, layout.sessionDir(taskId))
  onTestFinished(() => sessions.close(taskId))
  await session.append({ type: 'title', title: 'Durable' })

  const synced = deferred()
  const written = deferred()
  const datasync = await spyOnHandles('datasync')
  onTestFinished(() => void vi.restoreAllMocks())
  datasync.mockImplementationOnce(async () => {
    written.resolve()
    await synced.promise
  })
  const appended = session.append({ type: 'title', title: 'Written, but not synced' })
  await written.promise
  const { records } = workspaces
  expect(await records.transcriptPage(taskId, { last: 9 })).toMatchObject({
    source: 'live',
    status: 'complete',
    entries: [{ title: 'Durable' }],
  })
  expect(await records.listTranscripts({})).toMatchObject([{ taskId, entries: 1 }])
  synced.resolve()
  await appended
  expect((await records.transcriptPage(taskId, { last: 9 })).entries).toHaveLength(2)
  expect(await records.listTranscripts({})).toMatchObject([{ taskId, entries: 2 }])
})
