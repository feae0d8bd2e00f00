/** A task continued with another agent, or at one of its turns. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import { usualModels } from '../../fake-models/provider-models.ts'
import { type Script, say } from '../../fake-models/script.ts'
import {
  entriesOf,
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { itInSoak } from '../../soak.ts'
import { hold, untilHolds } from '../../waiting-agents.ts'
import { driftOf } from '../drift/walk.ts'

const scenario = (...turns: string[]) =>
  `version: 1\nname: any\nagents:\n  lead:\n    turns:\n${turns.map((turn) => `      ${turn}\n`).join('')}`
const write = (path: string, content: string) =>
  `- { call: write_file, with: { path: ${path}, content: "${content}" } }`

const playing = (text: string) =>
  ({ kind: 'scripted', scenario: text, source: 'another.yaml' }) as const

async function opened(options?: Parameters<typeof openFixture>[0]) {
  const fixture = await openFixture(options)
  const { shiplog } = fixture
  return { fixture, shiplog, client: shiplog.client }
}

/** The seq of the call that wrote a file. */
async function callOf({ shiplog }: Fixture, taskId: TaskId, path: string): Promise<number> {
  const found = (await entriesOf(shiplog, taskId)).find(
    (entry) => entry.type === 'tool-call' && JSON.stringify(entry.input).includes(`"${path}"`),
  )
  return found?.seq ?? expect.unreachable()
}

async function withModel(fixture: Fixture, script: Script) {
  const fake = await startFakeModels({ script })
  onTestFinished(() => fake.stop())
  const { client } = fixture.shiplog
  const baseUrl = fake.baseURLs.anthropic
  await client.models.saveProvider({ name: 'claude', kind: 'anthropic', baseUrl, key: fake.key })
  return { fake, agent: { kind: 'model', model: `claude/${usualModels.anthropic.id}` } as const }
}

it('[T4] continues from a turn in a worktree with its files, while the task itself keeps running', async () => {
  const { fixture, shiplog, client } = await opened({ files: { 'a.txt': 'at first' } })
  const from = await start(
    fixture,
    scenario(
      write('a.txt', 'one'),
      '- { call: bash, with: { command: "git commit -qam One" } }',
      write('b.txt', 'two'),
      write('a.txt', 'three'),
      `- { call: bash, with: ${hold(fixture.dir)} }`,
      '- say: Over.',
    ),
  )
  await untilHolds(shiplog, from)
  const at = await callOf(fixture, from, 'b.txt')
  const { taskId } = await client.tasks.continueFrom({
    taskId: from,
    prompt: 'Otherwise.',
    at,
    agent: playing(scenario('- say: "{{prompt}}"', write('c.txt', 'another'))),
  })
  await until(shiplog, async () => (await taskOf(shiplog, taskId)).status === 'completed')
  const { workspace, resumedFrom } = await taskOf(shiplog, taskId)
  const dir = workspace?.path ?? expect.unreachable()
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  expect([await read('a.txt'), await read('b.txt'), await read('c.txt')]).toEqual([
    'one',
    'two',
    'another',
  ])
  // The agent's commit is in its history, and the work after it is uncommitted, as it was: the user's branch has neither.
  expect(git(dir, 'log', '--format=%s', '-1').trim()).toBe('One')
  expect(git(dir, 'status', '--short')).toBe('?? b.txt\n?? c.txt\n')
  expect(git(fixture.project.dir, 'status', '--short')).toBe('')
  // With the whole turn of that entry: its message, and the state of its files.
  const kept = (await entriesOf(shiplog, from)).filter(({ seq }) => seq <= (resumedFrom?.seq ?? 0))
  expect(kept.at(-1)).toMatchObject({ type: 'workspace-snapshot', turn: 3 })
  expect(await taskOf(shiplog, from)).toMatchObject({ status: 'spawned' })
  await expect(
    client.tasks.continueFrom({ taskId: from, at: kept.length + 1000 }),
  ).rejects.toMatchObject({ code: 'INVALID', data: { field: 'at' } })
  await writeFile(join(fixture.dir, 'go'), '')
  await untilQuiet(shiplog)
  expect(await taskOf(shiplog, from)).toMatchObject({ status: 'completed', resumedFrom: null })
})

it('[T4][G3] continues with another kind of agent, which gets the history, and thereby abandons an interrupted task', async () => {
  const { fixture, shiplog, client } = await opened()
  const { fake, agent } = await withModel(fixture, { '[parser]': [[say('I see it.')]] })
  const from = await start(
    fixture,
    scenario('- think: Hm.', write('a.txt', 'one'), `- { call: bash, with: ${hold(fixture.dir)} }`),
    { prompt: '[parser] Fix it.' },
  )
  await untilHolds(shiplog, from)
  await expect(client.tasks.continueFrom({ taskId: from, agent })).rejects.toMatchObject({
    data: { reason: 'running' },
  })
  await client.tasks.stop({ taskId: from })
  await expect(client.tasks.continueFrom({ taskId: from })).rejects.toMatchObject({
    data: { reason: 'not-interrupted' },
  })
  const { taskId } = await client.tasks.continueFrom({ taskId: from, prompt: 'Go on.', agent })
  await untilQuiet(shiplog)
  const continued = await taskOf(shiplog, taskId)
  expect(continued).toMatchObject({ status: 'completed', spec: { kind: 'model' }, agent: 'lead' })
  expect(existsSync(join(continued.workspace?.path ?? '', 'a.txt'))).toBe(true)
  expect(await taskOf(shiplog, from)).toMatchObject({
    status: 'abandoned',
    cause: { kind: 'abandoned' },
  })
  expect(fake.refused).toEqual([])
  const told = JSON.stringify(fake.requests[0]?.body)
  for (const word of ['[parser] Fix it.', 'write_file', 'outcome is unknown', 'Go on.'])
    expect(told).toContain(word)
})

describe('the changes of a task that continues another', () => {
  const parts = [
    write('b.txt', 'one'),
    '- { call: bash, with: { command: "git add b.txt && git commit -qm One" } }',
    write('c.txt', 'one'),
  ]
  async function continued(before: (fixture: Fixture, first: TaskId) => Promise<void>) {
    const { fixture, shiplog, client } = await opened({ files: { 'a.txt': 'at first\n' } })
    const first = await start(fixture, scenario(...parts))
    await untilQuiet(shiplog)
    await before(fixture, first)
    const { taskId } = await client.tasks.continueFrom({
      taskId: first,
      agent: playing(scenario(write('b.txt', 'two'), write('d.txt', 'two'))),
    })
    await untilQuiet(shiplog)
    const { files } = await client.workspace.diff({ workspaceId: taskId })
    const changes = files.map(({ path, change }) => `${change} ${path}`)
    const authorsOf = async (path: string) =>
      (await client.review.authors({ workspaceId: taskId, path })).authors.map(
        ({ by, tool, of }) => [by, tool, of?.taskId === first ? 'first' : of],
      )
    const authors = { b: await authorsOf('b.txt'), d: await authorsOf('d.txt') }
    const applied = await client.tasks.applyPatch({ taskId })
    const read = (name: string) => readFile(join(fixture.project.dir, name), 'utf8')
    return { changes, applied, authors, read }
  }

  it('[T4] include those of that task, and are applied together', async () => {
    const { changes, applied, authors, read } = await continued(async () => {})
    expect(authors).toEqual({
      b: [
        ['call', 'write_file', 'first'],
        ['call', 'write_file', undefined],
      ],
      d: [['call', 'write_file', undefined]],
    })
    expect(changes).toEqual(['added b.txt', 'added c.txt', 'added d.txt'])
    expect(applied).toMatchObject({ kind: 'applied' })
    expect([await read('b.txt'), await read('c.txt'), await read('d.txt')]).toEqual([
      'two',
      'one',
      'two',
    ])
  })

  itInSoak('[T4] are its own if those of that task were applied before', async () => {
    const { changes, applied, authors, read } = await continued(async ({ shiplog }, first) => {
      const outcome = await shiplog.client.tasks.applyPatch({ taskId: first })
      expect(outcome.kind).toBe('applied')
    })
    expect(changes).toEqual(['modified b.txt', 'added d.txt'])
    expect(authors.b).toEqual([['call', 'write_file', undefined]])
    expect(applied).toMatchObject({ kind: 'applied' })
    expect([await read('b.txt'), await read('d.txt')]).toEqual(['two', 'two'])
  })
})

describe('applying tasks with a common past', () => {
  /** A task that wrote b.txt, c.txt and e.txt, and one that continues it, overwrote b.txt and deleted e.txt. */
  async function pair() {
    const { fixture, shiplog, client } = await opened({ files: { 'a.txt': 'at first\n' } })
    const first = await start(
      fixture,
      scenario(write('b.txt', 'one'), write('c.txt', 'one'), write('e.txt', 'one')),
    )
    await untilQuiet(shiplog)
    const { taskId: second } = await client.tasks.continueFrom({
      taskId: first,
      agent: playing(
        scenario(
          write('b.txt', 'two'),
          write('d.txt', 'two'),
          '- { call: bash, with: { command: rm e.txt } }',
        ),
      ),
    })
    await untilQuiet(shiplog)
    const apply = async (taskId: TaskId) => (await client.tasks.applyPatch({ taskId })).kind
    const { dir } = fixture.project
    const files = async () => {
      const names = (await readdir(dir)).filter((name) => /^[b-z]\.txt$/.test(name)).sort()
      return Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))
    }
    return { fixture, client, shiplog, first, second, apply, files, dir }
  }

  it('[T4] applies the first, then the one that continues it, where both changed the same line; all of it where the user discarded the first', async () => {
    const { client, first, second, apply, files, dir } = await pair()
    expect(await apply(first)).toBe('applied')
    git(dir, 'clean', '-qfd')
    expect(await apply(second)).toBe('applied')
    expect(await files()).toEqual(['two', 'one', 'two'])
    git(dir, 'clean', '-qfd')
    expect(await apply(first)).toBe('applied')
    const compared = await client.workspace.compareTarget({ workspaceId: second })
    expect(compared.conflicts).toEqual([])
    expect(await apply(second)).toBe('applied')
    expect(await files()).toEqual(['two', 'one', 'two'])
  })

  itInSoak(
    '[T4] applies two that continue the same task, each with its own changes, and nothing more of that task',
    async () => {
      const { client, shiplog, first, second, apply, files } = await pair()
      const { taskId: third } = await client.tasks.continueFrom({
        taskId: first,
        agent: playing(scenario(write('c.txt', 'three'))),
      })
      await untilQuiet(shiplog)
      expect(await apply(second)).toBe('applied')
      expect(await apply(first)).toBe('already-applied')
      expect(await apply(third)).toBe('applied')
      expect(await files()).toEqual(['two', 'three', 'two'])
      expect((await client.tasks.list({})).tasks.map(({ patch }) => patch)).toEqual([
        'applied',
        'applied',
        'applied',
      ])
    },
  )
})

it('[T4] a task that continues another and is interrupted at once has no drift, and leaves no branch without commits', async () => {
  const { fixture, shiplog, client } = await opened()
  const first = await start(fixture, scenario(write('b.txt', 'one')))
  await untilQuiet(shiplog)
  const { taskId } = await client.tasks.continueFrom({
    taskId: first,
    agent: playing(scenario(`- { call: bash, with: ${hold(fixture.dir)} }`)),
  })
  await untilHolds(shiplog, taskId)
  await client.tasks.stop({ taskId })
  const branch = (await taskOf(shiplog, taskId)).workspace?.branch ?? expect.unreachable()
  const drift = await driftOf(fixture, await taskOf(shiplog, taskId))
  expect(drift).toMatchObject({ conflicts: [], dirty: [], headMoved: null, ownHeadMoved: null })
  await client.workspace.remove({ workspaceId: taskId })
  expect(git(fixture.project.dir, 'branch', '--list', branch)).toBe('')
})

itInSoak('[T4] a script that continues another agent begins with its first turn', async () => {
  const { fixture, shiplog, client } = await opened()
  const { agent } = await withModel(fixture, { '[talk]': [[say('First.')]] })
  const { taskId: from } = await client.tasks.start({
    projectId: fixture.project.id,
    agent,
    prompt: '[talk]',
  })
  await untilQuiet(shiplog)
  const { taskId } = await client.tasks.continueFrom({
    taskId: from,
    agent: playing(scenario('- say: Begun.', '- report: { title: Done, markdown: Done. }')),
  })
  await untilQuiet(shiplog)
  expect(await taskOf(shiplog, taskId)).toMatchObject({ status: 'completed', reportTitle: 'Done' })
  expect(JSON.stringify(await entriesOf(shiplog, taskId))).toContain('Begun.')
})

it('refuses to continue in a folder without Git, and from turns whose files are not kept', async () => {
  const { fixture, shiplog, client } = await opened()
  const from = await start(fixture, scenario('- say: Nothing yet.', write('a.txt', 'one')))
  await untilQuiet(shiplog)
  await expect(client.tasks.continueFrom({ taskId: from, at: 1 })).rejects.toMatchObject({
    data: { reason: 'removed' },
    message: expect.stringContaining('Continue from a later turn'),
  })
})
