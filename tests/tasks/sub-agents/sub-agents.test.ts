/** What an agent may start, what a resumed one finds of it, and what is left of one that failed. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allTasks, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'

const waitsInItsCall = (dir: string) => `
version: 1
name: waits
agents:
  lead:
    turns:
      - call: task
        with: { agent: child, title: Child, prompt: Go }
      - report: { title: Lead, markdown: "{{last.output}}" }
  child:
    turns:
      - say: I look around.
      - call: bash
        with: { command: "until [ -e '${dir}/go' ]; do sleep 0.1; done" }
      - report: { title: Child, markdown: Found it. }
`

it('[S3] finds the sub-agent that a resumed parent had started in its interrupted call', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, waitsInItsCall(fixture.dir))
  await until(fixture.shiplog, (tasks) =>
    tasks.some(({ title, status }) => title === 'Child' && status === 'spawned'),
  )
  const { client } = await fixture.restart()
  const child = await taskOf(fixture.shiplog, 'Child')
  await writeFile(join(fixture.dir, 'go'), '')
  const { accepted } = await client.tasks.resume({ selector: { by: 'tree', taskId: root } })
  await client.tasks.resumeEnded({ taskIds: accepted.map(({ taskId }) => taskId) })
  const tasks = await allTasks(fixture.shiplog)
  expect(tasks.map(({ id, status }) => [id, status])).toEqual([
    [root, 'completed'],
    [child.id, 'completed'],
  ])
  expect((await client.tasks.report({ taskId: root })).reportMarkdown).toContain('Found it.')
})

it('[T5] nests sub-agents five deep, and tells the deepest to do the work itself', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: deep
agents:
  lead:
    turns:
      - call: task
        with: { agent: lead, title: Deeper, prompt: Go }
      - report: { title: Done, markdown: "{{last.output}}" }
`,
  )
  await untilQuiet(fixture.shiplog)
  const depths = (await allTasks(fixture.shiplog)).map(({ depth }) => depth)
  expect(depths.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
  const { reportMarkdown } = await fixture.shiplog.client.tasks.report({ taskId: root })
  expect(reportMarkdown).toContain('nested 5 deep and this one would be deeper')
})

it('[R1] keeps the workspace of a failed sub-agent, so that it can be retried there', async () => {
  const fixture = await openFixture()
  await start(
    fixture,
    `
version: 1
name: failing
agents:
  lead:
    turns:
      - call: task
        with: { agent: giver, title: Giver, prompt: Go }
      - call: task
        with: { agent: worker, title: Worker, prompt: Go }
      - report: { title: Done, markdown: Without it. }
  giver:
    turns:
      - call: write_file
        with: { path: half.txt, content: half }
      - fail: I give up
  worker:
    turns:
      - report: { title: Done, markdown: Done. }
`,
  )
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.close() // which waits for every clean-up
  await fixture.restart()
  expect(await taskOf(fixture.shiplog, 'Worker')).toMatchObject({ archived: true })
  const { status, archived, workspace } = await taskOf(fixture.shiplog, 'Giver')
  expect([status, archived]).toEqual(['failed', false])
  expect(existsSync(join(workspace?.path ?? '', 'half.txt'))).toBe(true)
})
