/** How many files and lines a task and its sub-agents changed, counted in a real project and in imported logs. */
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import type { TreeChanges } from '../../src/shared/contract/changes/tree-changes.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { openFixture, start, taskOf, temporaryDir, untilQuiet } from '../harness.ts'
import { claudeLog, writeFiles } from '../imports/claude-code-log.ts'

const known = { binary: 0, reported: false, unknown: [] } satisfies Partial<TreeChanges>

const scenario = `version: 1
name: tree
agents:
  lead:
    turns:
      - call: task
        with: { agent: applied, title: Applied, prompt: Work. }
      - call: task_apply_patch
        with: { task: Applied }
      - call: task
        with: { agent: left, title: Left, prompt: Work. }
      - report: { title: Done, markdown: Done. }
  applied:
    turns:
      - call: bash
        with: { command: "printf 'x\\\\ny\\\\n' > applied.txt && echo more >> a.txt" }
      - report: { title: Done, markdown: Done. }
  left:
    turns:
      - call: bash
        with: { command: "rm b.txt && echo other >> a.txt" }
      - report: { title: Done, markdown: Done. }
`

it('counts what was applied to the parent once, and what was not applied beside it', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  const { client } = fixture.shiplog
  const lead = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const count = (workspaceId: TaskId) => client.workspace.treeChanges({ workspaceId })
  const applied = { ...known, files: 2, additions: 3, deletions: 0 }
  const left = await taskOf(fixture.shiplog, 'Left')
  expect(await count((await taskOf(fixture.shiplog, 'Applied')).id)).toEqual(applied)
  expect(await count(left.id)).toEqual({ ...known, files: 2, additions: 1, deletions: 1 })
  // The worktree of the second one began with the applied changes.
  expect(await count(lead)).toEqual({ ...known, files: 3, additions: 4, deletions: 1 })
  await client.workspace.remove({ workspaceId: lead })
  expect(await count(lead)).toEqual({ ...known, files: 3, additions: 4, deletions: 1 })
})

const session = '1b2c3d4e-0000-4000-8000-000000000001'

async function imported(ran: (log: ReturnType<typeof claudeLog>) => void): Promise<TreeChanges> {
  const log = claudeLog(session)
  log.prompt('Edit')
  ran(log)
  const dir = await writeFiles(await temporaryDir(), { [`${session}.jsonl`]: log.text() })
  const { client, close } = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => close())
  for await (const _ of await client.imports.run({ tool: 'claude-code', path: dir }));
  return client.workspace.treeChanges({ workspaceId: session as TaskId })
}

function edit(log: ReturnType<typeof claudeLog>, call: string, path: string): void {
  log.calls(`m-${call}`, call, 'Edit', { file_path: path })
  const hunk = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 2, lines: ['-a', '+b', '+c'] }
  const toolUseResult = { filePath: path, structuredPatch: [hunk] }
  log.returns(call, 'The file has been updated.', { toolUseResult })
}

it('counts the edits that an imported log tells, as reported', async () => {
  const counts = await imported((log) => {
    edit(log, 'c1', '/code/app/a.ts')
    edit(log, 'c2', '/code/app/a.ts')
    edit(log, 'c3', '/code/app/b.ts')
  })
  const reported = { binary: 0, reported: true, unknown: [] }
  expect(counts).toEqual({ files: 2, additions: 6, deletions: 3, ...reported })
})

it('marks that the commands of an imported log may have changed more', async () => {
  const counts = await imported((log) => {
    edit(log, 'c1', '/code/app/a.ts')
    log.calls('m-c2', 'c2', 'Bash', { command: 'make' })
    log.returns('c2', 'made')
  })
  expect(counts).toMatchObject({ files: 1, reported: true, unknown: ['commands'] })
})

it('counts what runs in a worktree so far, and marks the sub-agents that are still to be counted', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n' } })
  const { client } = fixture.shiplog
  const lead = await start(
    fixture,
    `version: 1
name: running
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo b >> a.txt" }
      - call: task
        with: { agent: slow, title: Slow, prompt: Work. }
  slow:
    turns:
      - call: bash
        with: { command: "echo c > c.txt" }
      - wait: 1h
`,
  )
  const count = () => client.workspace.treeChanges({ workspaceId: lead })
  await expect
    .poll(count, { timeout: 30_000 })
    .toEqual({ ...known, files: 1, additions: 1, deletions: 0, unknown: ['running'] })
  const inPlace = await start(
    fixture,
    `version: 1
name: in-place
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo d > d.txt" }
      - wait: 1h
`,
    { isolation: 'in-place' },
  )
  await expect
    .poll(() => client.workspace.treeChanges({ workspaceId: inPlace }), { timeout: 30_000 })
    .toMatchObject({ files: 0, unknown: ['running'] })
})
