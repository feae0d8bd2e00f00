import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/main/journal/index.ts'
import { formatCause } from '../../src/shared/records/causes.ts'
import type { TaskStatus } from '../../src/shared/records/tasks/task-status.ts'
import {
  allTasks,
  entriesOf,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../harness.ts'
import { itInSoak } from '../soak.ts'

const nested = `
version: 1
name: nested
agents:
  lead:
    turns:
      - say: Starting.
      - steps:
          - call: task
            with: { agent: writer, title: Write, prompt: Write it, background: true }
          - call: write_file
            with: { path: lead.txt, content: "lead\\n" }
      - call: task_await
        with: { tasks: all }
      - call: task_apply_patch
        with: { task: Write }
      - call: bash
        with: { command: "git add -A && git commit -qm 'All of it' && git log --oneline | wc -l" }
      - report: { title: All done, markdown: "Done.\\n\\n{{last.output}}" }
  writer:
    turns:
      - call: task
        with: { agent: checker, title: Check, prompt: Check it }
      - call: write_file
        with: { path: written.txt, content: "written\\n" }
      - report: { title: Written, markdown: One file. }
  checker:
    turns:
      - call: list_files
        with: {}
      - report: { title: Checked, markdown: All there. }
`

describe('a root without a prompt', () => {
  it.each([
    ['name: A small fix', 'A small fix'],
    ['', 'my'],
  ])('is called by its scenario, else by the file: %j', async (name, title) => {
    const { shiplog, project } = await openFixture()
    const { taskId } = await shiplog.client.tasks.start({
      projectId: project.id,
      prompt: '',
      agent: {
        kind: 'scripted',
        scenario: `version: 1\n${name}\nagents: { lead: { turns: [{ say: Done. }] } }`,
        source: '../plays/my.yaml',
      },
    })
    expect((await taskOf(shiplog, taskId)).title).toBe(title)
    await untilQuiet(shiplog)
  })
})

describe('a tree of agents', () => {
  it('[R1] runs, reports, is cleaned up, and leaves its record with the root', async () => {
    const fixture = await openFixture()
    const { shiplog, dataDir } = fixture
    const root = await start(fixture, nested)
    await untilQuiet(shiplog)

    const tasks = await allTasks(shiplog)
    expect(tasks.map((task) => [task.title, task.status, task.archived])).toEqual([
      ['Do it', 'completed', false],
      ['Write', 'completed', true],
      ['Check', 'completed', true],
    ])
    expect(readdirSync(join(dataDir, 'sessions'))).toEqual([root])
    const [, write, check] = tasks
    if (!write || !check) throw new Error('no sub-agents')
    expect(existsSync(write.workspace?.path ?? '')).toBe(false)
    expect((await shiplog.client.tasks.report({ taskId: check.id })).ancestorIds).toEqual([
      write.id,
      root,
    ])

    const lead = (await taskOf(shiplog, root)).workspace?.path ?? ''
    expect(git(lead, 'status', '--porcelain')).toBe('')
    expect(await readFile(join(lead, 'written.txt'), 'utf8')).toBe('written\n')
    expect(git(fixture.project.dir, 'status', '--porcelain')).toBe('')
    expect(git(fixture.project.dir, 'worktree', 'list').trim().split('\n')).toHaveLength(2)
  })

  itInSoak('[A7] returns reports and transcripts after clean-up and a restart', async () => {
    const fixture = await openFixture()
    await start(fixture, nested)
    await untilQuiet(fixture.shiplog)
    const before = await allTasks(fixture.shiplog)
    const check = await taskOf(fixture.shiplog, 'Check')
    const entries = await entriesOf(fixture.shiplog, check.id)
    const shiplog = await fixture.restart()
    expect(await allTasks(shiplog)).toEqual(before)
    expect(
      (await shiplog.client.tasks.report({ taskId: check.id.slice(0, 8) })).reportMarkdown,
    ).toBe('All there.')
    expect(await entriesOf(shiplog, check.id)).toEqual(entries)
    expect(entries.map((entry) => entry.type)).toEqual([
      'title',
      'worktree-state',
      'run-start',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'summary',
      'run-end',
      'worktree-state',
    ])
    const message = entries.find((entry) => entry.type === 'message')
    expect(message).toMatchObject({
      cwd: check.workspace?.path,
      gitBranch: check.workspace?.branch,
      sessionId: check.id,
    })
  })

  it('[A5] shows an agent only what is below it', async () => {
    const fixture = await openFixture()
    const root = await start(fixture, nested)
    await untilQuiet(fixture.shiplog)
    const { client } = fixture.shiplog
    const write = await taskOf(fixture.shiplog, 'Write')
    const check = await taskOf(fixture.shiplog, 'Check')
    expect(
      (await client.tasks.report({ taskId: check.id, requestingWorkspaceId: write.id })).title,
    ).toBe('Checked')
    await expect(
      client.tasks.report({ taskId: write.id, requestingWorkspaceId: check.id }),
    ).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' })
    await expect(
      client.workspace.getSubagentTranscript({ taskId: root, requestingWorkspaceId: check.id }),
    ).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' })
    await expect(client.tasks.report({ taskId: 'ffffffff' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  itInSoak(
    'lets one that reports while its children run wait for them before it goes',
    async () => {
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
      - call: task_list
        with: {}
      - report: { title: Done, markdown: "{{last.output}}" }
  eager:
    turns:
      - call: task
        with: { agent: slow, title: Slow, prompt: Go, background: true }
      - report: { title: Eager, markdown: Did not wait. }
  slow:
    turns:
      - call: bash
        with: { command: "while [ ! -e ../../../go ]; do sleep 0.1; done" }
      - report: { title: Slow, markdown: At last. }
`,
      )
      const { shiplog, dataDir } = fixture
      await until(shiplog, (tasks) =>
        tasks.some((task) => task.title === 'Do it' && task.status === 'completed'),
      )
      expect((await taskOf(shiplog, 'Eager')).archived).toBe(false)
      expect((await taskOf(shiplog, 'Slow')).status).toBe('spawned')
      await writeFile(join(dataDir, 'go'), '')
      await untilQuiet(shiplog)
      expect((await taskOf(shiplog, 'Eager')).archived).toBe(true)
      expect(
        (await shiplog.client.tasks.report({ taskId: (await taskOf(shiplog, 'Slow')).id }))
          .reportMarkdown,
      ).toBe('At last.')
    },
  )
})

describe('ends of runs', () => {
  const failing = `
version: 1
name: failing
agents:
  lead:
    turns:
      - call: task
        with: { agent: quiet, title: Quiet, prompt: Go }
      - call: task
        with: { agent: giver, title: Giver, prompt: Go }
      - call: task
        with: { agent: quiet, title: Dependent, prompt: Go, background: true, dependsOn: [Quiet] }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: "{{last.output}}" }
  quiet:
    turns:
      - say: I have nothing to report.
  giver:
    turns:
      - fail: I give up
`

  it('[T3][T6] keeps a sub-agent without a report as failed, and blocks what depends on it', async () => {
    const fixture = await openFixture()
    await start(fixture, failing)
    await untilQuiet(fixture.shiplog)
    const status = async (title: string) => {
      const { status, cause } = await taskOf(fixture.shiplog, title)
      return [status, cause && formatCause(cause)]
    }
    expect(await status('Quiet')).toEqual(['failed', 'ended without a report'])
    expect(await status('Giver')).toEqual(['failed', 'I give up'])
    expect(await status('Dependent')).toEqual(['blocked', 'it depends on "Quiet" (failed)'])
    expect(await status('Do it')).toEqual(['completed', null])
  })

  const waiting = `
version: 1
name: waiting
agents:
  lead:
    turns:
      - steps:
          - say: Starting one.
          - call: task
            with: { agent: sleeper, title: Sleeper, prompt: Sleep }
      - say: Second turn.
  sleeper:
    turns:
      - steps:
          - say: Half of a turn
          - wait: 1h
`

  it('stops a whole tree, keeps the partial turns, and a root continues with a follow-up (T7)', async () => {
    const fixture = await openFixture()
    const root = await start(fixture, waiting)
    const { shiplog } = fixture
    await untilSaid(fixture.dataDir, shiplog, 'Sleeper')
    const { stopped } = await shiplog.client.tasks.stop({ taskId: root })
    expect(stopped).toHaveLength(2)
    const sleeper = await taskOf(shiplog, 'Sleeper')
    expect([sleeper.status, sleeper.cause]).toEqual([
      'interrupted',
      { kind: 'stopped', by: 'person' },
    ])
    const entries = await entriesOf(shiplog, sleeper.id)
    expect(entries.at(-1)).toMatchObject({ type: 'run-end', status: 'interrupted' })
    expect(entries.findLast(({ type }) => type === 'message')).toMatchObject({
      status: 'interrupted',
      parts: [{ text: 'Half of a turn' }],
    })
    await shiplog.client.tasks.prompt({ taskId: root, prompt: 'Go on' })
    await until(shiplog, (tasks) =>
      tasks.some((task) => task.id === root && task.status === 'completed'),
    )
    expect((await taskOf(shiplog, root)).runs.map((run) => run.status)).toEqual([
      'interrupted',
      'completed',
    ])
  })

  it('[T3] lists tasks as interrupted that were running when Shiplog closed', async () => {
    const fixture = await openFixture()
    await start(fixture, waiting)
    await untilSaid(fixture.dataDir, fixture.shiplog, 'Sleeper')
    const listed = async (status: TaskStatus | 'running') =>
      (await fixture.shiplog.client.tasks.list({ status })).tasks.flatMap((tree) => [
        tree.title,
        ...tree.children.map(({ title }) => title),
      ])
    expect(await listed('running')).toHaveLength(2)
    const shiplog = await fixture.restart()
    const tasks = await allTasks(shiplog)
    expect(tasks.map((task) => task.status)).toEqual(['interrupted', 'interrupted'])
    expect(tasks[1]?.cause).toEqual({ kind: 'closed', how: 'close' })
  })

  it('[T5] runs at most as many agents at once as requested, not counting one that awaits', async () => {
    const fixture = await openFixture()
    const workers = Array.from(
      { length: 5 },
      (_, n) => `
      - call: task
        with: { agent: worker, title: Worker ${n}, prompt: Go, background: true }`,
    ).join('')
    await start(
      fixture,
      `
version: 1
name: many
agents:
  lead:
    turns:${workers}
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: "{{last.output}}" }
  worker:
    turns:
      - call: bash
        with: { command: "n=$(date +%N); touch ../run.$n; c=$(ls .. | grep -c run.); echo $c >> ../seen; [ $c -lt 2 ] || touch ../met; while [ ! -e ../met ]; do sleep 0.1; done; sleep 0.1; rm ../run.$n" }
      - report: { title: Worked, markdown: Yes. }
`,
      { agentsAtOnce: 2 },
    )
    await untilQuiet(fixture.shiplog)
    const seen = (
      await readFile(
        join(
          fixture.dataDir,
          'worktrees',
          readdirSync(join(fixture.dataDir, 'worktrees'))[0] ?? '',
          'seen',
        ),
        'utf8',
      )
    )
      .trim()
      .split('\n')
      .map(Number)
    expect(seen).toHaveLength(5)
    expect(Math.max(...seen)).toBe(2)
  })
})

/** Resolves when the partial message of a task is on disk: then it is in the middle of its turn. */
async function untilSaid(
  dataDir: string,
  shiplog: Awaited<ReturnType<typeof openFixture>>['shiplog'],
  title: string,
): Promise<void> {
  await until(shiplog, (tasks) =>
    tasks.some((task) => task.title === title && task.status === 'spawned'),
  )
  const { id } = await taskOf(shiplog, title)
  const feed = await shiplog.client.feed.session({ workspaceId: id })
  let said = ''
  for await (const event of feed) {
    if (event.type === 'snapshot' || event.type === 'partial')
      said = event.partial?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? ''
    if (event.type === 'delta') said += event.text
    if (said === 'Half of a turn') break
  }
  expect(existsSync(join(dataDir, 'sessions', id, 'chat.jsonl'))).toBe(true)
}

it('[T1] has the id of an agent in the ledger before the agent does anything', async () => {
  const fixture = await openFixture()
  const ledger = join(fixture.dataDir, 'ledger.jsonl')
  const copy = (name: string) => `cp '${ledger}' '${join(fixture.dir, name)}'`
  const root = await start(
    fixture,
    `
version: 1
name: looks
agents:
  lead:
    turns:
      - call: bash
        with: { command: "${copy('root.jsonl')}" }
      - call: task
        with: { agent: leaf, title: Leaf, prompt: Go }
  leaf:
    turns:
      - call: bash
        with: { command: "${copy('leaf.jsonl')}" }
      - report: { title: Done, markdown: Done. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const { id: leaf } = await taskOf(fixture.shiplog, 'Leaf')
  for (const [id, name] of [
    [root, 'root.jsonl'],
    [leaf, 'leaf.jsonl'],
  ] as const) {
    const types: string[] = []
    for await (const record of readJournal(join(fixture.dir, name)))
      if (record.taskId === id) types.push(record.type)
    expect(types.slice(0, 2)).toEqual(['task.created', 'task.spawned'])
  }
})
