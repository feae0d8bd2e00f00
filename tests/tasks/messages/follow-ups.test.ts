import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../../src/main/composition/shiplog.ts'
import { openJournal, type RecordBody } from '../../../src/main/journal/index.ts'
import type { Ledger } from '../../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { createFollowUps } from '../../../src/main/tasks/messages/follow-ups.ts'
import { createTaskLedger } from '../../../src/main/tasks/state/task-ledger.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import { waitingPromptsMax } from '../../../src/shared/records/tasks/waiting-prompts.ts'
import {
  entriesOf,
  type Fixture,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  until,
  untilQuiet,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { createWorld, nowMs } from '../../retention/tasks.ts'

const talk = `
version: 1
name: talk
agents:
  lead:
    turns:
      - say: "You said: {{prompt}}"
      - wait: 20ms
      - say: That was all.
`

const idleRoot = preparedFixture(async (fixture) => {
  const taskId = await start(fixture, talk)
  await untilQuiet(fixture.shiplog)
  return { taskId }
})

/** What the disk holds now, started by somebody else: the process that wrote it is gone. */
async function afterCrash({ dataDir }: Fixture, cut: (record: RecordBody) => boolean) {
  const copy = join(await temporaryDir(), 'data')
  await cp(dataDir, copy, { recursive: true })
  await rm(join(copy, 'lease.json'), { force: true })
  await endBefore(join(copy, 'ledger.jsonl'), cut)
  const shiplog = await openShiplog({ dataDir: copy, host: 'cli' })
  onTestFinished(() => shiplog.close())
  return { shiplog, copy }
}

/** Leaves out the first record that `is` names, and all after it. */
async function endBefore(path: string, is: (record: RecordBody) => boolean): Promise<void> {
  const records = (await readFile(path, 'utf8')).trim().split('\n')
  const kept: RecordBody[] = []
  for (const line of records) {
    const { seq: _, salt: __, prev: ___, sum: ____, ...record } = JSON.parse(line)
    if (is(record)) break
    kept.push(record)
  }
  for (const file of [path, path.replace(/jsonl$/, 'index')]) await rm(file, { force: true })
  const journal = await openJournal(path)
  for (const record of kept) await journal.append(record)
  await journal.close()
}

const promptsOf = async (shiplog: Shiplog, taskId: TaskId): Promise<string[]> =>
  (await entriesOf(shiplog, taskId)).flatMap((entry) =>
    entry.type === 'message' && entry.role === 'user'
      ? entry.parts.map((part) => ('text' in part ? part.text : ''))
      : [],
  )

const ranAgain = (shiplog: Shiplog, run: number) =>
  until(shiplog, ([root]) => root?.runs[run - 1]?.status === 'completed')

it('[T7] keeps a follow-up before it is acknowledged, until a run takes it up', async () => {
  const { fixture, taskId } = await idleRoot()
  const { client } = fixture.shiplog
  await client.tasks.prompt({ taskId, prompt: 'And the sails?' })
  expect(await readFile(join(fixture.dataDir, 'ledger.jsonl'), 'utf8')).toContain('And the sails?')
  await ranAgain(fixture.shiplog, 2)
  const root = await taskOf(fixture.shiplog, taskId)
  expect(root.waitingPrompts).toBeUndefined()
  expect(root.runs[1]).not.toHaveProperty('prompt')
  expect(await promptsOf(fixture.shiplog, taskId)).toEqual(['Do it', 'And the sails?'])
})

it('[T7] shows a follow-up that never ran after a crash, and runs it only on request', async () => {
  const { fixture, taskId } = await idleRoot()
  await fixture.shiplog.client.tasks.prompt({ taskId, prompt: 'And the sails?' })
  await ranAgain(fixture.shiplog, 2)
  await fixture.shiplog.close()
  const { shiplog } = await afterCrash(
    fixture,
    ({ type, run }) => type === 'task.spawned' && run === 2,
  )
  const root = await taskOf(shiplog, taskId)
  expect(root).toMatchObject({
    status: 'completed',
    runs: [{ run: 1 }],
    waitingPrompts: [{ prompt: 'And the sails?' }],
  })
  expect(shiplog.runningAgents()).toEqual([])

  await shiplog.client.tasks.startWaitingPrompt({ taskId })
  await ranAgain(shiplog, 2)
  expect((await taskOf(shiplog, taskId)).waitingPrompts).toBeUndefined()
  await expect(shiplog.client.tasks.startWaitingPrompt({ taskId })).rejects.toMatchObject({
    code: 'REFUSED',
  })
})

it('[T7] writes a follow-up to its session that a lost run had taken and not recorded', async () => {
  const { fixture, taskId } = await idleRoot()
  await fixture.shiplog.client.tasks.prompt({ taskId, prompt: 'And the sails?' })
  await ranAgain(fixture.shiplog, 2)
  await fixture.shiplog.close()
  // The ledger says that the run has begun; the session knows nothing of it.
  const chat = join(fixture.dataDir, 'sessions', taskId, 'chat.jsonl')
  await endBefore(chat, ({ type, run }) => type === 'run-start' && run === 2)
  const { shiplog, copy } = await afterCrash(
    fixture,
    ({ type, run }) => type === 'task.completed' && run === 2,
  )
  expect(await taskOf(shiplog, taskId)).toMatchObject({ status: 'interrupted' })
  expect(await promptsOf(shiplog, taskId)).toEqual(['Do it', 'And the sails?'])
  const told = (await entriesOf(shiplog, taskId)).map(({ type }) => type)
  expect(told.slice(-3)).toEqual(['run-start', 'message', 'run-end'])

  await shiplog.close()
  const again = await openShiplog({ dataDir: copy, host: 'cli' })
  onTestFinished(() => again.close())
  expect((await entriesOf(again, taskId)).map(({ type }) => type)).toEqual(told)
})

it('[T7] withdraws a waiting follow-up, once', async () => {
  const { fixture, taskId } = await idleRoot()
  await fixture.shiplog.client.tasks.prompt({ taskId, prompt: 'And the sails?' })
  await ranAgain(fixture.shiplog, 2)
  await fixture.shiplog.close()
  const { shiplog } = await afterCrash(
    fixture,
    ({ type, run }) => type === 'task.spawned' && run === 2,
  )
  const [waiting] = (await taskOf(shiplog, taskId)).waitingPrompts ?? []
  if (!waiting) throw new Error('nothing waits')
  await shiplog.client.tasks.withdrawPrompt({ taskId, promptId: waiting.id })
  expect((await taskOf(shiplog, taskId)).waitingPrompts).toBeUndefined()
  await expect(
    shiplog.client.tasks.withdrawPrompt({ taskId, promptId: waiting.id }),
  ).rejects.toMatchObject({ code: 'REFUSED' })
})

it('[T7] starts a root on request that a crash left in the queue', async () => {
  const { fixture, taskId } = await idleRoot()
  await fixture.shiplog.close()
  await rm(join(fixture.dataDir, 'sessions', taskId, 'chat.jsonl'))
  const { shiplog } = await afterCrash(fixture, ({ type }) => type === 'task.spawned')
  expect((await taskOf(shiplog, taskId)).status).toBe('queued')
  await shiplog.client.tasks.startWaitingPrompt({ taskId })
  await ranAgain(shiplog, 1)
  expect(await promptsOf(shiplog, taskId)).toEqual(['Do it'])
})

it('[T7] runs follow-ups that were sent while it was running one after the other, in the order sent', async () => {
  const { fixture, taskId } = await idleRoot()
  const { client } = fixture.shiplog
  await Promise.all(['One', 'Two'].map((prompt) => client.tasks.prompt({ taskId, prompt })))
  await client.tasks.prompt({ taskId, prompt: 'Three' })
  await client.tasks.prompt({ taskId, prompt: 'Never' })
  const waiting = (await taskOf(fixture.shiplog, taskId)).waitingPrompts ?? []
  const never = waiting.find(({ prompt }) => prompt === 'Never') ?? expect.unreachable()
  await client.tasks.withdrawPrompt({ taskId, promptId: never.id })
  await ranAgain(fixture.shiplog, 4)
  await untilQuiet(fixture.shiplog)
  const root = await taskOf(fixture.shiplog, taskId)
  expect(root.runs).toHaveLength(4)
  expect(root.waitingPrompts).toBeUndefined()
  const [first, ...later] = await promptsOf(fixture.shiplog, taskId)
  expect(first).toBe('Do it')
  expect(later.toSorted()).toEqual(['One', 'Three', 'Two'])
  expect(later.at(-1)).toBe('Three')
})

it('[T7] keeps queued follow-ups if the root is stopped, and runs them on request', async () => {
  const fixture = await openFixture()
  const { shiplog } = fixture
  const taskId = await start(fixture, talk.replace('20ms', '60s'))
  await until(shiplog, ([root]) => root?.status === 'spawned')
  await shiplog.client.tasks.prompt({ taskId, prompt: 'And the sails?' })
  await shiplog.client.tasks.stop({ taskId })
  await untilQuiet(shiplog)
  const root = await taskOf(shiplog, taskId)
  expect(root).toMatchObject({
    status: 'interrupted',
    runs: [{ run: 1 }],
    waitingPrompts: [{ prompt: 'And the sails?' }],
  })
  await shiplog.client.tasks.startWaitingPrompt({ taskId })
  await until(shiplog, ([root]) => root?.runs.length === 2)
  await shiplog.client.tasks.stop({ taskId })
  expect(await promptsOf(shiplog, taskId)).toEqual(['Do it', 'And the sails?'])
})

it('[T7] accepts no more follow-ups than it can show', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const taskId = await start(fixture, talk.replace('20ms', '60s'))
  await until(fixture.shiplog, ([root]) => root?.status === 'spawned')
  for (let n = 0; n < waitingPromptsMax; n++) await client.tasks.prompt({ taskId, prompt: `${n}` })
  await expect(client.tasks.prompt({ taskId, prompt: 'One more' })).rejects.toMatchObject({
    code: 'REFUSED',
  })
  await client.tasks.stop({ taskId })
})

it('[T7] leaves a follow-up waiting if the removal of its workspace starts while it is recorded', async () => {
  const world = createWorld()
  const taskId = world.add({ archived: false })
  const removal = { type: 'workspace.removal-advanced', step: 'started', pending: null } as const
  const ledger = {
    state: world.state,
    record: async (...events: LedgerEvent[]) =>
      world.record(nowMs, ...events, { ...removal, workspaceId: taskId }),
  } as Ledger
  const runs = {
    mayStillSpawn: () => false,
    isQueuedOrRunning: () => false,
    ended: async () => undefined,
  }
  const begun: TaskId[] = []
  const { prompt } = createFollowUps({
    ledger,
    taskLedger: createTaskLedger(ledger),
    isReserved: () => false,
    runs,
    layout: layoutOf('/nowhere'),
    runner: {
      begin: (id) => void begun.push(id),
      flushDeferred: async () => undefined,
      isAttached: () => false,
    },
  })
  await prompt(taskId, 'And the sails?')
  expect(begun).toEqual([])
  const { waitingPrompts } = world.state.tasks.get(taskId) ?? {}
  expect(waitingPrompts).toMatchObject([{ prompt: 'And the sails?' }])
})

/** A root that runs, and whose messages wait in the ledger. */
async function runningRoot(
  record: (write: () => void) => Promise<void> = async (write) => write(),
) {
  const world = createWorld()
  const taskId = world.add({ archived: false })
  const task = world.state.tasks.get(taskId) ?? expect.unreachable()
  world.state.tasks.set(taskId, {
    ...task,
    spec: { kind: 'model', provider: 'anthropic', model: 'any', agent: 'lead' },
  })
  const ledger = {
    state: world.state,
    record: (...events: LedgerEvent[]) => record(() => world.record(nowMs, ...events)),
  } as unknown as Ledger
  const followUps = createFollowUps({
    ledger,
    taskLedger: createTaskLedger(ledger),
    isReserved: () => false,
    runs: {
      mayStillSpawn: () => true,
      isQueuedOrRunning: () => true,
      ended: () => new Promise(() => {}),
    },
    layout: layoutOf('/nowhere'),
    runner: {
      begin: () => undefined,
      flushDeferred: async () => undefined,
      isAttached: () => false,
    },
  })
  await followUps.steer(taskId, 'Make it blue.')
  const [message] = followUps.messagesFor(taskId)
  return { taskId, ...followUps, promptId: message?.id ?? expect.unreachable() }
}

it('[Q3] does not deliver a message that is being withdrawn', async () => {
  const wrote = Promise.withResolvers<void>()
  let isSlow = false
  const { taskId, promptId, withdraw, deliver, messagesFor } = await runningRoot(async (write) => {
    if (isSlow) await wrote.promise
    write()
  })
  isSlow = true
  const withdrawn = withdraw(taskId, promptId)
  expect(messagesFor(taskId)).toEqual([])
  expect(await deliver(taskId, promptId, async () => expect.unreachable())).toBe(false)
  wrote.resolve()
  await withdrawn
})

it('[Q3] does not withdraw a message that is being delivered', async () => {
  const { taskId, promptId, withdraw, deliver } = await runningRoot()
  const recorded = Promise.withResolvers<void>()
  const given = deliver(taskId, promptId, () => recorded.promise)
  await expect(withdraw(taskId, promptId)).rejects.toThrow('about to start it')
  recorded.resolve()
  expect(await given).toBe(true)
})

it('[Q3] still has a message that could not be withdrawn', async () => {
  let isFull = false
  const { taskId, promptId, withdraw, messagesFor } = await runningRoot(async (write) => {
    if (isFull) throw new Error('ENOSPC')
    write()
  })
  isFull = true
  await expect(withdraw(taskId, promptId)).rejects.toThrow('ENOSPC')
  expect(messagesFor(taskId)).toHaveLength(1)
})
