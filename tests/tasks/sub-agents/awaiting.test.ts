import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { record } from '../../crash/fault-fs/record.ts'
import { causeText } from '../../fixtures/cause-text.ts'
import { openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'

it('[T6] returns the other reports if one of them can’t be read', async () => {
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
        with: { command: "while [ ! -e ../../../go ]; do sleep 0.1; done" }
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

it('[T5] ends a sub-agent whose start can’t be recorded, and agents that await it continue', async () => {
  const fixture = await openFixture()
  const { dataDir } = fixture
  let isFull = false
  const recording = record(dataDir, {
    inject({ call, path }) {
      if (!isFull || call !== 'write' || path !== 'ledger.jsonl') return null
      isFull = false
      return { code: 'ENOSPC' }
    },
  })
  onTestFinished(() => void recording.stop())
  const shiplog = await fixture.restart() // its files are opened while the recording watches
  const root = await start(
    fixture,
    `
version: 1
name: one
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Worker, prompt: Go, background: true }
      - call: bash
        with: { command: "touch ../../../called; while [ ! -e ../../../go ]; do sleep 0.1; done" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: "{{last.output}}" }
  worker:
    turns:
      - report: { title: Worked, markdown: "All of it." }
`,
    { agentsAtOnce: 1 },
  )
  await vi.waitUntil(() => existsSync(join(dataDir, 'called')), { timeout: 60_000 })
  isFull = true
  // The first that is written to the ledger now is that the sub-agent has begun.
  await writeFile(join(dataDir, 'go'), '')
  await untilQuiet(shiplog)
  const worker = await taskOf(shiplog, 'Worker')
  expect(worker).toMatchObject({ status: 'cancelled', runs: [] })
  expect(causeText(worker.cause)).toMatch(/^it could not be started: .*ENOSPC/)
  expect((await taskOf(shiplog, root)).status).toBe('completed')
})
