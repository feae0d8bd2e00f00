/** An imported session continued as a task: where, with which history, and by whom. */
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { startFakeModels } from '../fake-models/fake-models.ts'
import { usualModels } from '../fake-models/provider-models.ts'
import { say } from '../fake-models/script.ts'
import { entriesOf, type Fixture, git, openFixture, taskOf, untilQuiet } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001' as TaskId

const scripted = {
  kind: 'scripted',
  scenario: 'version: 1\nname: on\nagents:\n  lead:\n    turns:\n      - say: I go on.\n',
  source: 'on.yaml',
} as const

const wires = {
  anthropic: 'anthropic',
  responses: 'openai',
  chat: 'openai-compatible',
  google: 'google',
} as const
type Wire = keyof typeof wires

/** A provider whose fake refuses what the real one refuses. */
async function withModel({ shiplog: { client } }: Fixture, wire: Wire) {
  const fake = await startFakeModels({ script: () => [say('Gone on.')] })
  onTestFinished(() => fake.stop())
  const provider = { name: `fake-${wire}`, kind: wires[wire], baseUrl: fake.baseURLs[wire] }
  await client.models.saveProvider({ ...provider, key: fake.key })
  const agent = { kind: 'model', model: `fake-${wire}/${usualModels[wire].id}` } as const
  return { fake, agent }
}

async function importAll({ shiplog: { client } }: Fixture, path: string): Promise<TaskId[]> {
  const ids: TaskId[] = []
  for await (const event of await client.imports.run({ tool: 'claude-code', path }))
    if (event.type === 'session') ids.push(event.session.taskId)
  return ids
}

/** A session in `cwd` with a parallel call, a call without a result, and a branch that the user left. */
async function importSession(fixture: Fixture, cwd: string): Promise<void> {
  const log = claudeLog(session, { cwd, gitBranch: 'feature' })
  log.prompt('Find the albatross')
  const fork = log.says('m1', 'I will look.')
  log.prompt('Look in the cupboard')
  log.says('m2', 'The cupboard is empty.')
  log.goTo(fork)
  log.prompt('Look at sea')
  log.calls('m3', 'c1', 'Write', { file_path: join(cwd, 'sea.txt'), content: 'blue\n' })
  log.returns('c1', 'Written.', {
    toolUseResult: { type: 'create', filePath: join(cwd, 'sea.txt') },
  })
  log.calls('m4', 'c2', 'TodoWrite', { todos: [] })
  log.says('m5', 'It flew over.')
  const dir = await writeFiles(join(fixture.dir, 'logs'), { [`${session}.jsonl`]: log.text() })
  await importAll(fixture, dir)
}

const seqOf = async ({ shiplog }: Fixture, text: string): Promise<number> =>
  (await entriesOf(shiplog, session)).find(
    (entry) => entry.type === 'message' && JSON.stringify(entry.parts).includes(text),
  )?.seq ?? expect.unreachable()

it('[S3][G5] continues an imported session in its folder: at its end, at a turn and in an abandoned branch, with drift reported', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'one' } })
  const { client } = fixture.shiplog
  const { dir, id: projectId } = fixture.project
  git(dir, 'branch', 'feature')
  await importSession(fixture, dir)
  await writeFile(join(dir, 'sea.txt'), 'green\n')
  const { fake, agent } = await withModel(fixture, 'anthropic')
  const { places } = await client.tasks.continuation({ taskId: session })
  expect(places).toMatchObject([{ kind: 'project', projectId, foundBy: 'folder' }])

  const continued = async (at?: number) => {
    const { taskId } = await client.tasks.continueFrom({
      taskId: session,
      prompt: 'And the puffin?',
      agent,
      place: { projectId },
      ...(at !== undefined && { at }),
    })
    await untilQuiet(fixture.shiplog)
    expect(await taskOf(fixture.shiplog, taskId)).toMatchObject({
      status: 'completed',
      title: 'And the puffin?',
      parentId: null,
      isolation: 'in-place',
      projectId,
      resumedFrom: { taskId: session },
    })
    return { taskId, sent: JSON.stringify(fake.requests.at(-1)?.body.messages) }
  }
  const whole = await continued()
  for (const said of ['Find the albatross', 'Look at sea', 'write_file', 'It flew over', 'puffin'])
    expect(whole.sent).toContain(said)
  expect(whole.sent).not.toContain('cupboard')
  expect(whole.sent).toContain('outcome is unknown')
  const [drift] = (await entriesOf(fixture.shiplog, whole.taskId)).flatMap((entry) =>
    entry.type === 'resume' ? [entry.drift.join(' ')] : [],
  )
  expect(drift).toContain('It was on the branch feature; now main is checked out.')
  expect(drift).toContain('The file that it edited was written since: sea.txt.')

  const atTurn = await continued(await seqOf(fixture, 'I will look'))
  expect(atTurn.sent).toContain('Find the albatross')
  expect(atTurn.sent).not.toContain('Look at sea')
  expect(atTurn.sent).toContain('files as they were then are not known')

  const inBranch = await continued(await seqOf(fixture, 'cupboard is empty'))
  for (const said of ['Find the albatross', 'I will look', 'Look in the cupboard', 'is empty'])
    expect(inBranch.sent).toContain(said)
  expect(inBranch.sent).not.toContain('Look at sea')
})

it('[T4] finds where an imported session can continue: its folder, another clone of it, or nowhere', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const clone = join(fixture.dir, 'clone')
  git(fixture.dir, 'clone', '-q', fixture.project.dir, clone)
  git(clone, 'remote', 'remove', 'origin')
  await importSession(fixture, clone)
  const ask = { taskId: session, prompt: 'Go on', agent: scripted }
  await expect(client.tasks.continueFrom(ask)).rejects.toMatchObject({
    data: { field: 'place' },
  })
  expect(await client.tasks.continuation({ taskId: session })).toMatchObject({
    dirExists: true,
    places: [
      { kind: 'folder', dir: clone, git: true },
      { kind: 'project', projectId: fixture.project.id, foundBy: 'repository' },
    ],
  })
  await rename(clone, join(fixture.dir, 'moved'))
  expect(await client.tasks.continuation({ taskId: session })).toMatchObject({
    recordedDir: clone,
    dirExists: false,
    places: [],
    problem: null,
  })
  const place = { projectId: fixture.project.id, isolation: 'worktree' } as const
  const { taskId } = await client.tasks.continueFrom({ ...ask, place })
  await untilQuiet(fixture.shiplog)
  const task = await taskOf(fixture.shiplog, taskId)
  expect(task).toMatchObject({ status: 'completed', workspace: { isolation: 'worktree' } })
  const entries = await entriesOf(fixture.shiplog, taskId)
  expect(entries.find(({ type }) => type === 'resume')).toMatchObject({
    drift: expect.arrayContaining([expect.stringContaining(`${clone}, which is gone`)]),
  })
  // Its own tasks continue in their own project.
  await expect(client.tasks.continueFrom({ ...ask, taskId, place })).rejects.toMatchObject({
    data: { field: 'place' },
  })
})

it('[S3] says that a session did not record its folder', async () => {
  const fixture = await openFixture()
  await importSession(fixture, '')
  const query = { taskId: session, projectId: fixture.project.id }
  const { places } = await fixture.shiplog.client.tasks.continuation(query)
  expect(places[0]?.drift[1]).toBe(
    `The session did not record its folder; this task works in ${fixture.project.dir}.`,
  )
})

it('[S3] reports the drift of files that the session before it edited, which its conversation begins with', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'one' } })
  const { dir, id: projectId } = fixture.project
  await importSession(fixture, dir)
  const before = await entriesOf(fixture.shiplog, session)
  const last = before.findLast((entry) => entry.type === 'message')
  const later = claudeLog('2b2c3d4e-0000-4000-8000-000000000002', {
    cwd: dir,
    sessionId: session,
    timestamp: '2026-01-03T03:04:05.000Z',
  })
  later.goTo(last?.uuid ?? null)
  later.prompt('And the heron?')
  later.says('m9', 'In the reeds.')
  const file = '2b2c3d4e-0000-4000-8000-000000000002.jsonl'
  const logs = await writeFiles(join(fixture.dir, 'logs'), { [file]: later.text() })
  const [taskId] = await importAll(fixture, join(logs, file))
  if (!taskId) throw new Error('nothing was imported')
  expect(await taskOf(fixture.shiplog, taskId)).toMatchObject({ resumedFrom: { taskId: session } })
  await writeFile(join(dir, 'sea.txt'), 'green\n')
  const { places } = await fixture.shiplog.client.tasks.continuation({ taskId })
  expect(places).toMatchObject([{ projectId }])
  expect(places[0]?.drift.join(' ')).toContain('that it edited was written since: sea.txt.')
})

const realLogs =
  process.env.SHIPLOG_REAL_LOGS ??
  resolve(import.meta.dirname, '../../../shared/transcripts/claude-code')

for (const wire of Object.keys(wires) as Wire[])
  itInSoak(
    `[G5] continues real sessions on ${wire}, whole and at their turns`,
    {
      timeout: 300_000,
    },
    async () => {
      if (!existsSync(realLogs)) return
      const fixture = await openFixture()
      const { client } = fixture.shiplog
      const ids = await importAll(fixture, realLogs)
      expect(ids.length).toBeGreaterThan(0)
      const { fake, agent } = await withModel(fixture, wire)
      const place = { projectId: fixture.project.id }
      await mkdir(join(fixture.dir, 'none'))
      for (const taskId of ids) {
        const turns = (await entriesOf(fixture.shiplog, taskId)).filter(
          (entry) => entry.type === 'message' && entry.role === 'assistant',
        )
        for (const at of [undefined, turns[3]?.seq, turns[Math.floor(turns.length / 2)]?.seq]) {
          const before = fake.requests.length
          const asked = { taskId, prompt: 'Go on', agent, place }
          const { taskId: next } = await client.tasks.continueFrom({ ...asked, ...(at && { at }) })
          await untilQuiet(fixture.shiplog)
          expect(fake.requests.slice(before).map(({ status }) => status)).not.toContain(400)
          expect(await taskOf(fixture.shiplog, next)).toMatchObject({ status: 'completed' })
        }
      }
    },
  )
