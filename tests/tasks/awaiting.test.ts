import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFixture, start, taskOf, until, untilQuiet } from '../harness.ts'

it('[T6] gives the other reports to whoever awaits them all when one can not be read', async () => {
  const fixture = await openFixture()
  const { shiplog, dataDir } = fixture
  const root = await start(
    fixture,
    `
version: 1
name: two
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Lost, prompt: Go }
      - call: task
        with: { agent: worker, title: Kept, prompt: Go }
      - call: bash
        with: { command: "while [ ! -e ../../../go ]; do sleep 0.02; done" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: "{{last.output}}" }
  worker:
    turns:
      - report: { title: Worked, markdown: "All of it." }
`,
  )
  await until(shiplog, (tasks) => tasks.filter((task) => task.archived).length === 2)
  const { id } = await taskOf(shiplog, 'Lost')
  await rm(join(dataDir, 'sessions', root, 'subagent-reports', id, '1', 'report.md'))
  await writeFile(join(dataDir, 'go'), '')
  await untilQuiet(shiplog)
  const { reportMarkdown } = await shiplog.client.tasks.report({ taskId: root })
  expect(reportMarkdown).toContain('All of it.')
  expect(reportMarkdown).toContain('report.md')
})
