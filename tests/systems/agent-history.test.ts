/**
 * The agent history, walked step by step on real services: `.planning/agent-history.json` and
 * `.planning/current-agent-id.txt` through the life of a project's agents.
 */

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { HistoryEntry } from '../../src/main/tasks/agent-history/format.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEventOf } from '../../src/shared/records/ledger.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import {
  allTasks,
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../harness.ts'
import { itInSoak } from '../soak.ts'

const files = { 'README.md': '# A project\n', '.planning/ROADMAP.md': '# Phases\n' }
/** The identity of a process that has ended. */
const process = { pid: 2 ** 22, startedAt: 'long ago' }

const historyPath = ({ project }: Fixture) => join(project.dir, '.planning', 'agent-history.json')
const pointerPath = ({ project }: Fixture) => join(project.dir, '.planning', 'current-agent-id.txt')

async function entriesOf(fixture: Fixture): Promise<HistoryEntry[]> {
  return JSON.parse(await readFile(historyPath(fixture), 'utf8')).entries
}

const pointerOf = async (fixture: Fixture): Promise<string | null> =>
  existsSync(pointerPath(fixture)) ? readFile(pointerPath(fixture), 'utf8') : null

/** Resolves with the entries by title once they are as wanted; the test's own time limit ends it. */
async function untilHistory(
  fixture: Fixture,
  is: (statusOf: (title: string) => string | undefined) => boolean,
): Promise<Map<string, HistoryEntry>> {
  for (;;) {
    const entries = existsSync(historyPath(fixture)) ? await entriesOf(fixture) : []
    const byTitle = new Map(entries.map((entry) => [entry.task_description, entry]))
    if (is((title) => byTitle.get(title)?.status)) return byTitle
    await wait(20)
  }
}

/** What an earlier process recorded: the ledger is opened while Shiplog is closed. */
async function record(fixture: Fixture, work: (ledger: Ledger) => Promise<void>): Promise<void> {
  await fixture.shiplog.close()
  const ledger = await openLedger(layoutOf(fixture.dataDir).ledger, fixture.dataDir)
  await work(ledger)
  await ledger.close()
  await fixture.restart()
}

const created = (
  fixture: Fixture,
  taskId: TaskId,
  over: Partial<LedgerEventOf<'task.created'>> = {},
): LedgerEventOf<'task.created'> => ({
  type: 'task.created',
  taskId,
  parentId: null,
  rootId: taskId,
  projectId: fixture.project.id,
  title: 'A task',
  agent: 'lead',
  spec: scriptedSpec(),
  prompt: '',
  model: null,
  isolation: 'worktree',
  callId: null,
  resumedFrom: null,
  dependsOn: [],
  options: { agentsAtOnce: 3, keep: false },
  plan: {},
  ...over,
})

/** Two that work side by side until the test opens the gate, one that waits for both, one that gives up. */
const batch = `
version: 1
name: batch
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: writer, title: Write, prompt: Write, background: true, phase: "02", plan: "01", segment: 1 }
          - call: task
            with: { agent: quitter, title: Quit, prompt: Quit, background: true, phase: "02", plan: "01" }
          - call: task
            with:
              agent: writer
              title: Review
              prompt: Review
              background: true
              dependsOn: [Write]
              phase: "03"
              granularity: plan
              checkpointsSkipped: 2
              taskResults: { planned: true }
          - call: task
            with: { agent: writer, title: Never, prompt: Never, background: true, dependsOn: [Quit], phase: "04" }
      - call: task_await
        with: { tasks: [Write, Quit, Review] }
      - report: { title: Done, markdown: All of it. }
  writer:
    turns:
      - call: bash
        with: { command: "while [ ! -e ../../../gate ]; do sleep 0.1; done; echo more > 'made by {{taskId}}.txt'; git add -A; git commit -qm Made; echo >> README.md" }
      - call: agent_report
        with: { title: Written, markdown: One file., taskResults: { tests: 12 } }
  quitter:
    turns:
      - call: bash
        with: { command: "while [ ! -e ../../../gate ]; do sleep 0.1; done" }
      - fail: I give up
`

/** Two plans of a phase are at work, a third one waits for the first. */
const phase = `
version: 1
name: phase
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: executor, title: First, prompt: Go, background: true, phase: "05", plan: "01" }
          - call: task
            with: { agent: executor, title: Second, prompt: Go, background: true, phase: "05", plan: "02" }
          - call: task
            with: { agent: executor, title: Third, prompt: Go, background: true, dependsOn: ["05-01"], phase: "05", plan: "03" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: All three. }
  executor:
    turns:
      - call: bash
        with: { command: "while [ ! -e ../../../gate ]; do sleep 0.1; done" }
      - report: { title: Executed, markdown: Executed. }
`

/** Dozens of Git processes each, on a machine that may do other things as well. */
const timeout = 240_000

describe('agent history, walked', { timeout }, () => {
  it('[S1] records the plans of a phase as one parallel group, and resumes it after a crash', async () => {
    const fixture = await openFixture({ files })
    await start(fixture, phase, { prompt: 'Execute phase 05' })
    await untilHistory(
      fixture,
      (statusOf) =>
        statusOf('First') === 'spawned' &&
        statusOf('Second') === 'spawned' &&
        statusOf('Third') === 'queued',
    )
    const found = await entriesOf(fixture)
    const [first, second] = found.filter(
      ({ status, parallel_group }) => status === 'spawned' && parallel_group !== null,
    )
    expect([first?.task_description, second?.task_description]).toEqual(['First', 'Second'])
    const group = first?.parallel_group
    expect(group).toMatch(/^phase-05-batch-\d{10}$/)
    const third = found.find(({ task_description }) => task_description === 'Third')
    expect(third).toMatchObject({
      parallel_group: group,
      execution_mode: 'parallel',
      depends_on: [first?.agent_id],
      granularity: 'plan',
    })

    const { client } = await fixture.restart()
    await writeFile(join(fixture.dataDir, 'gate'), '')
    const selector = { by: 'group', group: second?.agent_id } as const
    const { candidates } = await client.tasks.planResume({ selector })
    expect(candidates.map(({ title }) => title)).toEqual(['First', 'Second', 'Third'])
    const { accepted } = await client.tasks.resume({ selector })
    const { ended } = await client.tasks.resumeEnded({
      taskIds: accepted.map(({ taskId }) => taskId),
    })
    expect(ended.map(({ status }) => status)).toEqual(Array(3).fill('completed'))
  })

  it('[T6] records queued, a parallel batch, completed, failed and blocked as they happen', async () => {
    const fixture = await openFixture({ files })
    const root = await start(fixture, batch, { prompt: 'Lead' })
    const during = await untilHistory(
      fixture,
      (status) =>
        status('Write') === 'spawned' && status('Quit') === 'spawned' && !!status('Never'),
    )
    const [write, quit, review] = ['Write', 'Quit', 'Review'].map((title) => during.get(title))
    const group = write?.parallel_group
    expect(group).toMatch(/^phase-02-batch-\d{10}$/)
    expect(quit).toMatchObject({ execution_mode: 'parallel', parallel_group: group })
    expect(write).toMatchObject({ phase: '02', plan: '01', segment: 1, depends_on: null })
    expect(review).toMatchObject({
      status: 'queued',
      execution_mode: 'sequential',
      parallel_group: null,
      phase: '03',
      plan: '00',
      granularity: 'plan',
      depends_on: [write?.agent_id],
      checkpoints_skipped: 2,
      task_results: { planned: true },
      spawn_commit: null,
    })
    expect(during.get('Lead')).toMatchObject({
      agent_id: root,
      status: 'spawned',
      phase: '00',
      files_modified: null,
      task_results: null,
      spawn_commit: git(fixture.project.dir, 'rev-parse', 'HEAD').trim(),
    })
    const live = new Set([write?.agent_id, quit?.agent_id].map((id) => `${id}\n`))
    while (!live.has((await pointerOf(fixture)) ?? '')) await wait(20)

    await writeFile(join(fixture.dataDir, 'gate'), '')
    await untilQuiet(fixture.shiplog)
    await fixture.restart()
    const after = await untilHistory(fixture, (status) => status('Lead') === 'completed')
    expect(after.size).toBe(5)
    for (const title of ['Write', 'Review']) {
      const { id, endedAt, startedAt } = await taskOf(fixture.shiplog, title)
      expect(after.get(title)).toMatchObject({
        status: 'completed',
        timestamp: startedAt,
        completion_timestamp: endedAt,
        files_modified: expect.arrayContaining(['README.md', `made by ${id}.txt`]),
        task_results: { tests: 12 },
      })
    }
    expect(after.get('Write')?.files_modified).toHaveLength(2)
    expect(after.get('Review')?.task_results).toEqual({ planned: true, tests: 12 })
    expect(after.get('Quit')).toMatchObject({
      status: 'failed',
      files_modified: [],
      task_results: { reason: 'I give up' },
    })
    expect(after.get('Never')).toMatchObject({
      status: 'queued',
      completion_timestamp: null,
      task_results: { reason: 'blocked: it depends on "Quit" (failed)' },
    })
    expect(await pointerOf(fixture)).toBeNull()
  })

  const sleeping = `
version: 1
name: sleeping
agents:
  lead:
    turns:
      - call: task
        with: { agent: sleeper, title: Sleeper, prompt: Sleep, phase: "02" }
  sleeper:
    turns:
      - call: write_file
        with: { path: half.txt, content: half }
      - wait: 1h
`

  it('[T3] records interrupted tasks when Shiplog closes, with their changes', async () => {
    const fixture = await openFixture({ files })
    await start(fixture, sleeping, { prompt: 'Lead' })
    await until(fixture.shiplog, (tasks) => tasks.some(({ title }) => title === 'Sleeper'))
    const sleeper = await taskOf(fixture.shiplog, 'Sleeper')
    const half = join(sleeper.workspace?.path ?? '', 'half.txt')
    while (!existsSync(half)) await wait(20)
    expect(
      (await untilHistory(fixture, (status) => status('Sleeper') === 'spawned')).get('Sleeper'),
    ).toMatchObject({ agent_id: sleeper.id, execution_mode: 'sequential', parallel_group: null })
    while ((await pointerOf(fixture)) !== `${sleeper.id}\n`) await wait(20)

    await fixture.shiplog.close()
    expect(await entriesOf(fixture)).toMatchObject([
      { task_description: 'Lead', status: 'interrupted', completion_timestamp: null },
      { agent_id: sleeper.id, status: 'interrupted', files_modified: ['half.txt'] },
    ])
    expect(await pointerOf(fixture)).toBeNull()
  })

  it('[T3] finds an agent whose process was killed before the pointer to it is removed', async () => {
    const fixture = await openFixture({ files })
    const dead = newTaskId()
    await record(fixture, async (ledger) => {
      await ledger.record(created(fixture, dead))
      await ledger.record({
        type: 'task.spawned',
        taskId: dead,
        run: 1,
        process,
        spawnCommit: null,
      })
      await writeFile(pointerPath(fixture), `${dead}\n`)
    })
    await fixture.shiplog.close()
    expect(await entriesOf(fixture)).toMatchObject([{ agent_id: dead, status: 'interrupted' }])
    expect(await pointerOf(fixture)).toBeNull()
  })

  const gated = `
version: 1
name: gated
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: worker, title: Taken up, prompt: Work, background: true, phase: "02" }
          - call: task
            with: { agent: worker, title: Begun again, prompt: Work, background: true, phase: "02" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: All of it. }
  worker:
    turns:
      - call: bash
        with: { command: "while [ ! -e ../../../gate ]; do sleep 0.1; done" }
      - call: bash
        with: { command: "while [ ! -e ../../../gate ]; do sleep 0.1; done" }
      - report: { title: Worked, markdown: Yes. }
`

  itInSoak(
    '[S1][S2] appends an entry for who is resumed, completes the latest, and fails who was begun again',
    async () => {
      const fixture = await openFixture({ files })
      const root = await start(fixture, gated, { prompt: 'Lead' })
      await untilHistory(
        fixture,
        (status) => status('Taken up') === 'spawned' && status('Begun again') === 'spawned',
      )
      const shiplog = await fixture.restart()
      const before = await entriesOf(fixture)
      expect(before.map(({ status }) => status)).toEqual(Array(3).fill('interrupted'))

      const [kept, replaced] = [
        await taskOf(shiplog, 'Taken up'),
        await taskOf(shiplog, 'Begun again'),
      ]
      const outcome = await shiplog.client.tasks.resume({
        selector: { by: 'tree', taskId: root },
        choices: { [replaced.id]: 'restart' },
      })
      const fresh = outcome.restarted[0]?.taskId
      await untilHistory(
        fixture,
        (status) => status('Taken up') === 'resumed' && status('Begun again') === 'spawned',
      )
      const own = async (id: TaskId | undefined) =>
        (await entriesOf(fixture)).filter((entry) => entry.agent_id === id)
      expect((await own(kept.id)).map(({ status }) => status)).toEqual(['interrupted', 'resumed'])
      expect(await own(replaced.id)).toMatchObject([
        { status: 'failed', task_results: { reason: expect.stringMatching(/^abandoned: /) } },
      ])

      await writeFile(join(fixture.dataDir, 'gate'), '')
      await untilQuiet(shiplog)
      await shiplog.close()
      expect((await own(root)).map(({ status }) => status)).toEqual(['interrupted', 'completed'])
      const lives = await own(kept.id)
      expect(lives.map(({ status }) => status)).toEqual(['interrupted', 'completed'])
      // The first life is as it was.
      expect(lives[0]).toEqual(before.find((entry) => entry.agent_id === kept.id))
      expect((await own(fresh)).map(({ status }) => status)).toEqual(['completed'])
      expect(await pointerOf(fixture)).toBeNull()
    },
  )

  it('[X2] holds fifty, including an interrupted one that is the oldest of all', async () => {
    const fixture = await openFixture({ files })
    const oldest = newTaskId()
    const others = Array.from({ length: 60 }, newTaskId)
    await record(fixture, async (ledger) => {
      for (const taskId of [oldest, ...others]) {
        const of = { taskId, run: 1 }
        await ledger.record(
          created(fixture, taskId),
          { type: 'task.spawned', ...of, process, spawnCommit: null },
          taskId === oldest
            ? {
                type: 'task.interrupted',
                ...of,
                cause: { kind: 'error', detail: 'killed' },
                usage: noUsage,
              }
            : { type: 'task.completed', ...of, usage: noUsage },
        )
      }
    })
    await fixture.shiplog.close()
    const entries = await entriesOf(fixture)
    expect(entries.map(({ agent_id }) => agent_id)).toEqual([oldest, ...others.slice(-49)])
    expect(entries[0]?.status).toBe('interrupted')
  })

  it('reports damage that it found, and that the rest continues', async () => {
    const fixture = await openFixture({ files })
    await mkdir(dirname(historyPath(fixture)), { recursive: true })
    await writeFile(historyPath(fixture), 'not JSON')
    await start(
      fixture,
      'version: 1\nname: short\nagents:\n  lead:\n    turns:\n      - say: Done.\n',
    )
    await untilQuiet(fixture.shiplog)
    while (
      existsSync(historyPath(fixture)) &&
      (await readFile(historyPath(fixture), 'utf8')) === 'not JSON'
    )
      await wait(20)
    await untilHistory(fixture, (status) => status('Do it') === 'completed')
    const { notices } = await fixture.shiplog.client.app.info()
    expect(notices.map(({ tone, text }) => [tone, text])).toEqual([
      ['warning', expect.stringContaining('agent-history.json.damaged-1')],
    ])
    expect((await allTasks(fixture.shiplog)).map(({ status }) => status)).toEqual(['completed'])
    expect((await fixture.shiplog.client.doctor.check({ repair: false })).problems).toEqual([])
  })
})
