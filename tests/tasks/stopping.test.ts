import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import {
  allTasks,
  entriesOf,
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../harness.ts'
import { itInSoak } from '../soak.ts'

const spawning = `
version: 1
name: spawning
agents:
  lead:
    turns:
      - call: task
        with: { agent: sleeper, title: Sleeper, prompt: Sleep, background: true }
      - wait: 1h
  sleeper:
    turns:
      - wait: 1h
`

it('leaves neither an agent nor a worktree nor a branch of a sub-agent that was being started', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, spawning)
  await untilCalled(fixture, root, 'task')
  await fixture.shiplog.client.tasks.stop({ taskId: root })
  // Another agent from start to end: long enough for anything left behind to show.
  await start(fixture, 'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - say: Hello.\n')
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'completed'))
  expect(fixture.shiplog.runningAgents()).toEqual([])
  expect((await allTasks(fixture.shiplog)).map((task) => task.status)).toEqual([
    'interrupted',
    'completed',
  ])
  const { dir } = fixture.project
  expect(git(dir, 'worktree', 'list').trim().split('\n')).toHaveLength(3)
  expect(git(dir, 'branch', '--list', 'shiplog/*').trim().split('\n')).toHaveLength(2)
})

it('leaves nothing incomplete if Shiplog closes while a sub-agent is being started', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, spawning)
  await untilCalled(fixture, root, 'task')
  await fixture.shiplog.close()
  const { dir } = fixture.project
  const worktrees = git(dir, 'worktree', 'list').trim().split('\n').length - 1
  const tasks = await allTasks(await fixture.restart())
  expect(worktrees).toBe(tasks.length)
  expect(git(dir, 'branch', '--list', 'shiplog/*').trim().split('\n')).toHaveLength(worktrees)
})

itInSoak(
  '[R1] cleans up a sub-agent that was called off before it began, and then its parent',
  async () => {
    const fixture = await openFixture()
    await start(
      fixture,
      `
version: 1
name: calling-off
agents:
  lead:
    turns:
      - call: task
        with: { agent: planner, title: Planner, prompt: Plan }
      - report: { title: Done, markdown: Done. }
  planner:
    turns:
      - call: task
        with: { agent: never, title: Never, prompt: Go, background: true }
      - call: task_stop
        with: { task: Never }
      - report: { title: Planned, markdown: Without the other. }
  never:
    turns:
      - report: { title: Never, markdown: No. }
`,
      { agentsAtOnce: 1 },
    )
    await untilQuiet(fixture.shiplog)
    expect(await taskOf(fixture.shiplog, 'Never')).toMatchObject({
      status: 'cancelled',
      archived: true,
    })
    expect(await taskOf(fixture.shiplog, 'Planner')).toMatchObject({ archived: true })
  },
)

it('[T5] lets a sub-agent that still waits for another run, although its parent has reported', async () => {
  const fixture = await openFixture()
  await start(
    fixture,
    `
version: 1
name: eager
agents:
  lead:
    turns:
      - call: task
        with: { agent: eager, title: Eager, prompt: Go }
      - report: { title: Done, markdown: Done. }
  eager:
    turns:
      - steps:
          - call: task
            with: { agent: worker, title: First, prompt: Go, background: true }
          - call: task
            with: { agent: worker, title: Second, prompt: Go, background: true, dependsOn: [First] }
      - report: { title: Eager, markdown: Did not wait. }
  worker:
    turns:
      - report: { title: Worked, markdown: Yes. }
`,
  )
  await untilQuiet(fixture.shiplog)
  expect(await taskOf(fixture.shiplog, 'Second')).toMatchObject({
    status: 'completed',
    cause: null,
  })
  expect(await taskOf(fixture.shiplog, 'Eager')).toMatchObject({ archived: true })
})

const queued = `
version: 1
name: queued
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Worker, prompt: Go, background: true }
      - call: bash
        with: { command: "sleep 60" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: "{{last.output}}" }
  worker:
    turns:
      - report: { title: Worked, markdown: At last. }
`

itInSoak(
  '[S3] begins what was still queued when Shiplog closed, once its parent awaits it again',
  async () => {
    const fixture = await openFixture()
    const root = await start(fixture, queued, { agentsAtOnce: 1 })
    await untilCalled(fixture, root, 'bash')
    const { client } = await fixture.restart()
    expect((await taskOf(fixture.shiplog, 'Worker')).status).toBe('queued')
    await client.tasks.prompt({ taskId: root, prompt: 'Go on' })
    await untilQuiet(fixture.shiplog)
    expect((await client.tasks.report({ taskId: root })).reportMarkdown).toContain('At last.')
  },
)

itInSoak('[R1] cancels queued tasks below a root that is removed', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, queued, { agentsAtOnce: 1 })
  await untilCalled(fixture, root, 'bash')
  const { client } = await fixture.restart()
  await client.workspace.remove({ workspaceId: root })
  expect((await taskOf(fixture.shiplog, 'Worker')).status).toBe('cancelled')
  await client.projects.remove({ projectId: fixture.project.id })
  expect((await client.projects.list()).projects).toEqual([])
})

it('[A8] keeps the unfinished message that a failed run could not record when the next run starts', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    'version: 1\nname: talk\nagents:\n  lead:\n    turns:\n      - say: One.\n      - say: Two.\n',
  )
  await untilQuiet(fixture.shiplog)
  const entries = await entriesOf(fixture.shiplog, root)
  const message = entries.findLast((entry) => entry.type === 'message')
  const { seq: _, at: __, parentUuid: ___, ...fields } = message as Record<string, unknown>
  const leftOver = {
    ...fields,
    v: 1,
    uuid: crypto.randomUUID(),
    parts: [{ type: 'text', text: 'Half of a turn' }],
    status: 'interrupted',
  }
  await writeFile(join(fixture.dataDir, 'sessions', root, 'partial.json'), JSON.stringify(leftOver))
  await fixture.shiplog.client.tasks.prompt({ taskId: root, prompt: 'Go on' })
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.runs.length === 2 && task.status === 'completed'),
  )
  const after = (await entriesOf(fixture.shiplog, root)).slice(entries.length)
  expect(after[0]).toMatchObject({
    type: 'message',
    uuid: leftOver.uuid,
    status: 'interrupted',
    parts: leftOver.parts,
  })
})

/** Resolves when the call is durable: its tool is about to run, or runs. */
async function untilCalled(fixture: Fixture, taskId: TaskId, name: string): Promise<void> {
  const feed = await fixture.shiplog.client.feed.session({ workspaceId: taskId })
  for await (const event of feed) {
    if (event.type !== 'entries' && event.type !== 'snapshot') continue
    if (event.entries.some((entry) => entry.type === 'tool-call' && entry.name === name)) return
  }
}

it('[T6] cancels a blocked task only if it is named, and reports that', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: blocked
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: failing, title: Fails, prompt: Go, background: true }
          - call: task
            with: { agent: leaf, title: After, prompt: Go, background: true, dependsOn: [Fails] }
      - say: I leave them to it.
  failing:
    turns:
      - fail: It can't be done.
  leaf:
    turns:
      - say: Never.
`,
  )
  await untilQuiet(fixture.shiplog)
  const { tasks } = fixture.shiplog.client
  const after = await taskOf(fixture.shiplog, 'After')
  expect(after.status).toBe('blocked')
  expect(await tasks.stop({ taskId: root })).toEqual({ stopped: [], cancelled: [] })
  expect((await taskOf(fixture.shiplog, 'After')).status).toBe('blocked')
  expect(await tasks.stop({ taskId: after.id })).toEqual({ stopped: [], cancelled: [after.id] })
  expect((await taskOf(fixture.shiplog, 'After')).status).toBe('cancelled')
  // It never ran, so there is no transcript to go on from: its assignment is begun.
  const { taskId } = await tasks.continueFrom({ taskId: after.id })
  await untilQuiet(fixture.shiplog)
  expect(await taskOf(fixture.shiplog, taskId)).toMatchObject({
    prompt: 'Go',
    resumedFrom: { taskId: after.id, seq: 0 },
  })
  expect((await taskOf(fixture.shiplog, taskId)).runs).toHaveLength(1)
  await rename(fixture.project.dir, `${fixture.project.dir}-moved`)
  await expect(tasks.continueFrom({ taskId: after.id })).rejects.toThrow(
    `${fixture.project.dir} is missing. If it was moved, add it at its new path`,
  )
})

it('[T5] distinguishes interrupted tasks from those that had not begun', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: queue
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: sleeper, title: One, prompt: Go, background: true }
          - call: task
            with: { agent: sleeper, title: Two, prompt: Go, background: true }
      - call: task_await
        with: { tasks: all }
  sleeper:
    turns:
      - wait: 1h
`,
    { agentsAtOnce: 1 },
  )
  await until(
    fixture.shiplog,
    (tasks) =>
      tasks.length === 3 &&
      tasks.some(({ title, status }) => title === 'One' && status === 'spawned'),
  )
  const [one, two] = [await taskOf(fixture.shiplog, 'One'), await taskOf(fixture.shiplog, 'Two')]
  const answer = await fixture.shiplog.client.tasks.stop({ taskId: root })
  expect(answer.stopped.toSorted()).toEqual([root, one.id].toSorted())
  expect(answer.cancelled).toEqual([two.id])
})
