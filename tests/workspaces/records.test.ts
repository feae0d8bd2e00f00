import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf, openFixture, start, taskOf, untilQuiet } from '../harness.ts'

it('[A5] finds the transcript of a sub-agent that is being removed, which has left its directory already', async () => {
  const fixture = await openFixture()
  await start(
    fixture,
    `
version: 1
name: one
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Worker, prompt: Go }
  worker:
    turns:
      - report: { title: Worked, markdown: Yes. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const { id } = await taskOf(fixture.shiplog, 'Worker')
  const entries = await entriesOf(fixture.shiplog, id)
  // As it is between the move of the transcript and the end of its directory.
  await mkdir(join(fixture.dataDir, 'sessions', id, 'subagent-reports'), { recursive: true })
  expect(await entriesOf(fixture.shiplog, id)).toEqual(entries)
  const { transcripts } = await fixture.shiplog.client.workspace.listTranscripts({})
  expect(transcripts.find((one) => one.taskId === id)?.entries).toBe(entries.length)
  const feed = await fixture.shiplog.client.feed.session({ workspaceId: id })
  expect((await feed.next()).value).toMatchObject({ type: 'snapshot', seq: entries.length })
  expect((await feed.next()).value).toEqual({ type: 'ended' })
  await feed.return?.()
})
