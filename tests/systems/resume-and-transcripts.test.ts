/** Resuming agents and keeping their transcripts, walked step by step on real services. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { resolveDataDir } from '../../src/main/data-dir.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId, parseTaskId } from '../../src/shared/records/ids.ts'
import type { Task, TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import {
  entriesOf,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  until,
  untilQuiet,
} from '../harness.ts'
import { holdFor, holdsFor, spokenIn, untilTranscript } from './held-scenarios.ts'

const scenario = `
version: 1
name: pair
agents:
  lead:
    turns:
      - call: task
        with: { agent: scout, title: Scout, prompt: Look around }
      - report: { title: Done, markdown: All done. }
  scout:
    turns:
      - say: I look around.
      - report: { title: Seen, markdown: All quiet. }
`

/** Git on a machine that is busy with other tests. */
const timeout = 120_000

/** Three turns that end, a hold after each: the third one is the last before the report. */
const inThreeTurns = (dir: string) => `
version: 1
name: three-turns
agents:
  lead:
    turns:
      - call: task
        with: { agent: scout, title: Scout, prompt: Look around, background: true }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: All done. }
  scout:
    turns:
      - say: Turn 1
      - ${holdFor(join(dir, 'go-1'))}
      - say: Turn 2
      - ${holdFor(join(dir, 'go-2'))}
      - say: Turn 3
      - report: { title: Seen, markdown: All quiet. }
`

/** As a process that knows nothing of Shiplog sees it. */
const readElsewhere = (file: string): Entry[] =>
  execFileSync(process.execPath, [
    '-e',
    'process.stdout.write(require("node:fs").readFileSync(process.argv[1]))',
    file,
  ])
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry)

describe('sub-agent resume and transcript persistence', { timeout }, () => {
  afterEach(() => void vi.useRealTimers())

  it('[J6] transcript on disk after every turn: another process reads each while the run continues', async () => {
    const fixture = await openFixture()
    const { dir, shiplog, dataDir } = fixture
    await start(fixture, inThreeTurns(dir))
    await until(shiplog, (tasks) => tasks.some(({ title }) => title === 'Scout'))
    const { id } = await taskOf(shiplog, 'Scout')
    const file = join(dataDir, 'sessions', id, 'chat.jsonl')
    for (const turn of [1, 2]) {
      const gate = join(dir, `go-${turn}`)
      await untilTranscript(shiplog, id, holdsFor(gate))
      const seen = readElsewhere(file)
      expect(spokenIn(seen)).toEqual(['Turn 1', 'Turn 2'].slice(0, turn))
      // Nobody waits for a turn to be seen: what it was told is what is there.
      expect((await entriesOf(shiplog, id)).slice(0, seen.length)).toMatchObject(
        seen.map(({ uuid, seq, type }) => ({ uuid, seq, type })),
      )
      expect((await taskOf(shiplog, 'Scout')).status).toBe('spawned')
      await writeFile(gate, '')
    }
    await untilQuiet(shiplog)
    expect(spokenIn(await entriesOf(shiplog, id))).toEqual(['Turn 1', 'Turn 2', 'Turn 3'])
  })

  it('[T1][S1][S3] a resume keeps the id, is listed, and restores as many messages as there were', async () => {
    const fixture = await openFixture()
    const { dir } = fixture
    const root = await start(fixture, inThreeTurns(dir))
    await until(fixture.shiplog, (tasks) => tasks.some(({ title }) => title === 'Scout'))
    const { id } = await taskOf(fixture.shiplog, 'Scout')
    expect(parseTaskId(id)).toBe(id)
    await untilTranscript(fixture.shiplog, id, holdsFor(join(dir, 'go-1')))
    const shiplog = await fixture.restart()

    const listed = async () => {
      const { transcripts } = await shiplog.client.workspace.listTranscripts({})
      return transcripts.find(({ taskId }) => taskId === id)
    }
    const before = await entriesOf(shiplog, id)
    const messagesIn = (entries: Entry[]) => entries.filter(({ type }) => type === 'message')
    expect(await listed()).toMatchObject({
      parentId: root,
      title: 'Scout',
      agent: 'scout',
      status: 'interrupted',
      runs: 1,
      entries: before.length,
      archived: false,
    })

    await writeFile(join(dir, 'go-2'), '')
    const { accepted } = await shiplog.client.tasks.resume({ selector: { by: 'tree', taskId: id } })
    expect(accepted.map(({ taskId }) => taskId).sort()).toEqual([id, root].sort())
    // Accepted is not begun: until then both are interrupted, which is settled.
    const hasEnded = ({ id, status }: TaskTree) => id === root && status === 'completed'
    await until(shiplog, (tasks) => tasks.some(hasEnded))
    await untilQuiet(shiplog)
    expect(await taskOf(shiplog, 'Scout')).toMatchObject({ id, status: 'completed' })
    const after = await entriesOf(shiplog, id)
    expect(after.slice(0, before.length)).toEqual(before)
    // The numbers go on where they were: everything before was in the history that it was given.
    const turns = messagesIn(after).flatMap((entry) =>
      entry.type === 'message' && entry.turn !== null ? [entry.turn] : [],
    )
    expect(turns).toEqual(turns.map((_, index) => index + 1))
    expect(messagesIn(after).length).toBeGreaterThan(messagesIn(before).length)
    expect(spokenIn(after).filter((text) => text.startsWith('Turn'))).toEqual([
      'Turn 1',
      'Turn 2',
      'Turn 3',
    ])
    expect(await listed()).toMatchObject({
      status: 'completed',
      runs: 2,
      entries: after.length,
      archived: true,
    })
  })

  it('[S3] a task whose process died before its prompt was recorded gets the prompt when it is resumed', async () => {
    const fixture = await openFixture()
    const text = 'version: 1\nname: echo\nagents:\n  lead:\n    turns:\n      - say: "{{prompt}}"\n'
    const model = await start(fixture, text, { prompt: 'Model' })
    await untilQuiet(fixture.shiplog)
    await fixture.shiplog.close()
    // What was there the moment after it had begun: its scenario, its empty transcript, and two events.
    const layout = layoutOf(fixture.dataDir)
    const id = newTaskId()
    await mkdir(layout.sessionDir(id), { recursive: true, mode: 0o700 })
    const scenarios = (task: Task['id']) => join(layout.sessionDir(task), 'scenarios')
    await cp(scenarios(model), scenarios(id), { recursive: true })
    await writeFile(join(layout.sessionDir(id), 'chat.jsonl'), '', { mode: 0o600 })
    const ledger = await openLedger(layout.ledger, fixture.dataDir)
    const { projectId, agent, spec, isolation, options } = ledger.state.tasks.get(model) as Task
    const created = { projectId, agent, spec, isolation, options, model: null, plan: {} }
    const alone = { parentId: null, rootId: id, callId: null, resumedFrom: null, dependsOn: [] }
    const asked = { taskId: id, title: 'Lost', prompt: 'Look for the anchor' }
    const gone = { pid: 2 ** 22, startedAt: 'long ago' }
    await ledger.record({ type: 'task.created', ...created, ...alone, ...asked })
    await ledger.record({
      type: 'task.spawned',
      taskId: id,
      run: 1,
      process: gone,
      spawnCommit: null,
    })
    await ledger.close()

    const shiplog = await fixture.restart()
    const selector = { by: 'task', taskId: id } as const
    await shiplog.client.tasks.resume({ selector, prompt: 'And hurry.' })
    await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    expect((await taskOf(shiplog, id)).status).toBe('completed')
    expect(spokenIn(await entriesOf(shiplog, id))).toEqual(['Look for the anchor\n\nAnd hurry.'])
  })

  it('data directory from the option, the environment, the setting, or the default, in that order', async () => {
    const dir = await temporaryDir()
    const settingsFile = join(dir, 'settings.json')
    const [named, env, setting] = ['named', 'env', 'setting'].map((name) => join(dir, name))
    const SHIPLOG_DATA_DIR = env
    const standard = resolveDataDir({ env: {}, settingsFile })
    expect(standard).toBe(resolve(standard))
    expect(standard.startsWith(dir)).toBe(false)
    await writeFile(settingsFile, JSON.stringify({ dataDir: setting }))
    expect(resolveDataDir({ env: {}, settingsFile })).toBe(setting)
    expect(resolveDataDir({ env: { SHIPLOG_DATA_DIR }, settingsFile })).toBe(env)
    expect(resolveDataDir({ flag: named, env: { SHIPLOG_DATA_DIR }, settingsFile })).toBe(named)

    const dataDir = resolveDataDir({ env: { SHIPLOG_DATA_DIR }, settingsFile })
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    onTestFinished(() => shiplog.close())
    expect(existsSync(join(dir, 'env', 'lease.json'))).toBe(true)
    expect((await shiplog.client.app.info()).dataDir).toBe(env)
  })

  it('[X1][X2][X3] TTL prune at start: 30 days after its last activity a transcript goes to the trash, its report stays', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const fixture = await openFixture()
    const root = await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    const { id: scout } = await taskOf(fixture.shiplog, 'Scout')
    await fixture.shiplog.close()

    const startAfter = async (days: number) => {
      vi.setSystemTime(Date.now() + days * 86_400_000)
      const shiplog = await openShiplog({ dataDir: fixture.dataDir, host: 'web' })
      onTestFinished(() => shiplog.close())
      // It waits for what goes on in the background, and finds everything in order.
      expect(await shiplog.client.doctor.check({ repair: false })).toMatchObject({ problems: [] })
      return shiplog
    }
    const transcriptOf = async ({ client }: Awaited<ReturnType<typeof startAfter>>) =>
      client.workspace.getSubagentTranscript({ taskId: scout })

    /** Somebody works with it: after three weeks without a record the clock would not be believed. */
    const usedAfter = async (days: number) => {
      const shiplog = await startAfter(days)
      await shiplog.client.tasks.rename({ taskId: root, title: `Used after ${days} days` })
      await shiplog.close()
    }
    await usedAfter(14)
    const young = await startAfter(15)
    expect(await transcriptOf(young)).toMatchObject({ status: 'complete' })
    const { entries } = await transcriptOf(young)
    await young.close()

    const old = await startAfter(2)
    expect(await transcriptOf(old)).toMatchObject({ status: 'expired', entries: [] })
    expect((await old.client.tasks.report({ taskId: scout })).reportMarkdown).toBe('All quiet.')
    expect(await readdir(join(fixture.dataDir, 'trash'))).toEqual([`transcript-${scout}`])
    const [notice] = (await old.client.app.info()).notices
    expect(notice?.text).toMatch(/^Moved 1 transcript \(.+\) older than 30 days to the trash\.$/)

    await old.client.retention.undo({ receiptId: notice?.receiptId ?? '' })
    expect(await transcriptOf(old)).toMatchObject({ status: 'complete', entries })
    await old.close()

    // Taken back, it is as if it had been active on that day.
    await usedAfter(16)
    const again = await startAfter(15)
    expect(await transcriptOf(again)).toMatchObject({ status: 'expired' })
    await again.close()
    // Due at two starts on different days: one alone may be mistaken about the time.
    const due = await startAfter(8)
    expect((await transcriptOf(due)).expired?.purgedAt).toBeNull()
    await due.close()
    const gone = await startAfter(1)
    expect((await transcriptOf(gone)).expired?.purgedAt).not.toBeNull()
    expect(await readdir(join(fixture.dataDir, 'trash'))).toEqual([])
    expect((await gone.client.tasks.report({ taskId: scout })).reportMarkdown).toBe('All quiet.')
  })
})
