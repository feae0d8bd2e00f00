/** A transcript says when its worktree was entered and when it was left. */
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { makePatient } from '../../doctor/patient.ts'
import { entriesOf, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'

const stays = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.type === 'worktree-state' ? [entry] : []))

const solo = `
version: 1
name: solo
agents:
  lead:
    turns:
      - say: Done.
`

it('[R1] records once as its last entry that the worktree was left, for sub-agents and roots', async () => {
  const { rootId, leafId, dataDir, fixture } = await makePatient()
  const shiplog = await fixture.restart()
  const ofLeaf = await entriesOf(shiplog, leafId)
  expect(stays(ofLeaf)).toMatchObject([
    {
      sessionId: leafId,
      worktreeSession: { worktreePath: expect.stringContaining(leafId.slice(0, 8)) },
    },
    { sessionId: leafId, worktreeSession: null },
  ])
  expect(ofLeaf.at(-1)?.type).toBe('worktree-state')
  const index = JSON.parse(
    await readFile(join(dataDir, 'sessions', rootId, 'subagent-transcripts.json'), 'utf8'),
  )
  expect(index.artifactsByChildTaskId[leafId]).toMatchObject({
    status: 'complete',
    entryCount: ofLeaf.length,
    messageCount: ofLeaf.filter(({ type }) => type === 'message').length,
  })

  const before = await entriesOf(shiplog, rootId)
  await shiplog.client.workspace.remove({ workspaceId: rootId })
  const after = await entriesOf(shiplog, rootId)
  expect(after.slice(0, -1)).toEqual(before)
  expect(after.at(-1)).toMatchObject({ type: 'worktree-state', worktreeSession: null })
  expect((await taskOf(shiplog, rootId)).transcriptCounts?.entries).toBe(after.length)
  expect((await shiplog.client.doctor.check({ repair: false })).problems).toEqual([])

  await shiplog.client.workspace.restore({ workspaceId: rootId })
  await shiplog.client.workspace.remove({ workspaceId: rootId })
  expect(await entriesOf(shiplog, rootId)).toEqual(after)
})

it('[R6] a restored root enters its worktree again with its next run', async () => {
  const fixture = await openFixture()
  const { shiplog } = fixture
  const id = await start(fixture, solo)
  await untilQuiet(shiplog)
  await shiplog.client.workspace.remove({ workspaceId: id })
  await shiplog.client.workspace.restore({ workspaceId: id })
  await shiplog.client.tasks.prompt({ taskId: id, prompt: 'Once more' })
  await until(shiplog, ([task]) => task?.runs.length === 2 && task.status === 'completed')
  const { workspace } = await taskOf(shiplog, id)
  expect(stays(await entriesOf(shiplog, id)).map((one) => one.worktreeSession)).toMatchObject([
    { worktreePath: workspace?.path },
    null,
    { worktreePath: workspace?.path },
  ])
})

it('[A8] adds nothing to a transcript whose end is missing, because another entry would hide the loss', async () => {
  const fixture = await openFixture()
  const id = await start(fixture, solo)
  await untilQuiet(fixture.shiplog)
  const entries = await entriesOf(fixture.shiplog, id)
  await fixture.shiplog.close()
  const chat = join(fixture.dataDir, 'sessions', id, 'chat.jsonl')
  const text = await readFile(chat, 'utf8')
  await truncate(chat, Buffer.byteLength(`${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`))
  const shiplog = await fixture.restart()
  await shiplog.client.workspace.remove({ workspaceId: id })
  const page = await shiplog.client.workspace.getSubagentTranscript({ taskId: id, limit: 500 })
  expect(page.entries).toEqual(entries.slice(0, -1))
  expect(page.status).toBe('damaged')
})
