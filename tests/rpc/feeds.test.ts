import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getEventMeta } from '@orpc/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { ledgerFeed } from '../../src/main/rpc/ledger-feed.ts'
import { sessionFeed } from '../../src/main/rpc/session-feed.ts'
import type { SessionEvent } from '../../src/main/sessions/session.ts'
import { createActivityBoard } from '../../src/main/tasks/activity/activity.ts'
import { createBoard } from '../../src/main/tasks/activity/board.ts'
import type { UsageBoard } from '../../src/main/tasks/limits/tree-limits.ts'
import {
  feedBatchMax,
  type LedgerFeedEvent,
  ledgerFeedEventSchema,
} from '../../src/shared/contract/feed.ts'
import { transcriptPageBytesMax } from '../../src/shared/contract/workspace.ts'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import { createSnapshotJoiner } from '../../src/shared/projections/ledger/ledger-snapshot.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { RunUsage } from '../../src/shared/projections/ledger/tree-usage.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newProjectId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { hostile } from '../fixtures/entries/conversations.ts'
import { entriesOf, openFixture, start, temporaryDir, until, untilQuiet } from '../harness.ts'
import { taskCreated } from '../ledger/histories.ts'

const talk = `
version: 1
name: talk
agents:
  lead:
    turns:
      - say: One two three four five six seven eight nine ten.
      - call: bash
        with: { command: "echo hello" }
      - report: { title: Talked, markdown: Yes. }
`

const printing = (go: string) => `
version: 1
name: printing
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo half way; until [ -e '${go}' ]; do sleep 0.01; done" }
`

describe('the ledger feed', () => {
  it('sends a snapshot and then records, which fold to the state of the services', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const abort = new AbortController()
    const feed = await client.feed.ledger(undefined, { signal: abort.signal })
    const state = emptyLedgerState('')
    await start(fixture, talk)
    for await (const event of feed) {
      // The host does not check it.
      expect(ledgerFeedEventSchema.parse(event)).toEqual(event)
      if (event.type === 'snapshot') {
        state.seq = event.state.seq
        for (const task of event.state.tasks) state.tasks.set(task.id, task)
        state.dataDir = event.state.dataDir
        for (const project of event.state.projects) state.projects.set(project.id, project)
      }
      if (event.type === 'records')
        for (const record of event.records) foldLedgerRecord(state, record)
      if ([...state.tasks.values()].some((task) => task.status === 'completed')) break
    }
    abort.abort()
    const { tasks } = await client.tasks.list({ all: true })
    expect([...state.tasks.values()].map((task) => ({ ...task, children: [] }))).toEqual(tasks)
  })

  it('sends a long list in bounded parts, of which only the last can be continued', async () => {
    const dataDir = await temporaryDir()
    const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir)
    onTestFinished(() => ledger.close())
    const project = newProjectId()
    for (let n = 0; n < 5; n++)
      await ledger.record(...Array.from({ length: 500 }, () => taskCreated(newTaskId(), project)))
    const abort = new AbortController()
    const feed = ledgerFeed(
      { ledger, activity: createActivityBoard(), usage: usageBoard() },
      undefined,
      abort.signal,
    )
    const joiner = createSnapshotJoiner()
    const ids: (string | undefined)[] = []
    const late = taskCreated(newTaskId(), project)
    for await (const event of feed) {
      expect(ledgerFeedEventSchema.safeParse(event).success).toBe(true)
      ids.push(getEventMeta(event)?.id)
      // What happens while the parts are sent comes after them.
      if (ids.length === 2) await ledger.record(late)
      const whole = joiner.take(event)
      if (whole) expect([whole.seq, whole.tasks.size]).toEqual([2_500, 2_500])
      if (event.type === 'records') break
    }
    abort.abort()
    expect(ids).toEqual([...Array.from({ length: 12 }, () => undefined), '2500', '2501'])
  })

  it('sends a client that reconnects all present activity, even if there is none', async () => {
    const { client } = (await openFixture()).shiplog
    const feed = await client.feed.ledger(undefined, { lastEventId: '0' })
    const whole: LedgerFeedEvent[] = []
    for await (const event of feed) {
      if (event.type === 'activity' || event.type === 'usage') whole.push(event)
      if (event.type === 'usage') break
    }
    expect(whole).toEqual([
      { type: 'activity', activity: {}, whole: true },
      { type: 'usage', usage: {}, whole: true },
    ])
  })

  it('continues after the last event id without a new snapshot', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    await start(fixture, talk)
    await untilQuiet(fixture.shiplog)
    const feed = await client.feed.ledger(undefined, { lastEventId: '2' })
    for await (const event of feed) {
      expect(event).toMatchObject({
        type: 'records',
        records: expect.arrayContaining([expect.objectContaining({ seq: 3 })]),
      })
      break
    }
  })
})

describe('the session feed', () => {
  it('streams text as it is written; its entries are those of the transcript', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await start(fixture, talk)
    const entries: Entry[] = []
    let streamed = ''
    for await (const event of await client.feed.session({ workspaceId: id })) {
      if (event.type === 'snapshot' || event.type === 'entries') entries.push(...event.entries)
      if (event.type === 'delta') streamed += event.text
      if (event.type === 'partial' && event.partial)
        streamed += event.partial.parts.map((part) => ('text' in part ? part.text : '')).join('')
      if (entries.some((entry) => entry.type === 'run-end')) break
    }
    expect(entries).toEqual(await entriesOf(fixture.shiplog, id))
    expect(streamed).toContain('One two three four five six seven eight nine ten.')
  })

  it('sends the output of a command while it runs, even to a later reader, and not after its end', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const go = join(fixture.dir, 'go')
    const id = await start(fixture, printing(go))
    const follow = await client.feed.session({ workspaceId: id })
    let printed = ''
    for await (const event of follow) {
      if (event.type === 'running') printed = event.calls.map(({ output }) => output).join('')
      if (event.type === 'call-progress') printed += event.progress.output
      if (printed.includes('half way')) break
    }
    const later = await client.feed.session({ workspaceId: id })
    for await (const event of later)
      if (event.type === 'running') {
        expect(event.calls).toMatchObject([{ output: 'half way\n' }])
        break
      }
    await writeFile(go, '')
    await untilQuiet(fixture.shiplog)
    const after = await client.feed.session({ workspaceId: id })
    for await (const event of after)
      if (event.type === 'running') {
        expect(event.calls).toEqual([])
        break
      }
  })

  it('sends missed entries after a lost connection, each once and in order', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await start(fixture, talk)
    await untilQuiet(fixture.shiplog)
    const feed = await client.feed.session({ workspaceId: id }, { lastEventId: '3' })
    const seqs: number[] = []
    for await (const event of feed) {
      if (event.type === 'entries') seqs.push(...event.entries.map((entry) => entry.seq))
      if (event.type === 'partial') break
    }
    const total = (await entriesOf(fixture.shiplog, id)).length
    expect(seqs).toEqual(Array.from({ length: total - 3 }, (_, index) => index + 4))
  })

  it('begins with a snapshot if the last event id is unknown', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await start(fixture, talk)
    await untilQuiet(fixture.shiplog)
    for (const feed of [
      await client.feed.session({ workspaceId: id }, { lastEventId: 'nonsense' }),
      await client.feed.ledger(undefined, { lastEventId: 'nonsense' }),
    ]) {
      expect((await feed.next()).value).toMatchObject({ type: 'snapshot' })
      await feed.return?.()
    }
  })

  it('ends when the session is archived', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await start(fixture, talk)
    await untilQuiet(fixture.shiplog)
    const feed = await client.feed.session({ workspaceId: id })
    expect(await feed.next()).toMatchObject({ value: { type: 'snapshot' } })
    await client.workspace.remove({ workspaceId: id })
    const rest: string[] = []
    for await (const event of feed) rest.push(event.type)
    expect(rest.at(-1)).toBe('ended')
  })

  it('never sends a batch over the limit', async () => {
    const steps = '          - call: list_files\n            with: {}\n'.repeat(120)
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await start(
      fixture,
      `version: 1\nname: long\nagents:\n  lead:\n    turns:\n      - steps:\n${steps}`,
    )
    await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'completed'))
    const feed = await client.feed.session({ workspaceId: id }, { lastEventId: '1' })
    const sizes: number[] = []
    for await (const event of feed) {
      if (event.type === 'entries') sizes.push(event.entries.length)
      else break
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(feedBatchMax)
    expect(sizes.length).toBeGreaterThan(1)
  })
})

it('splits simultaneous entries by their bytes, and sends each of them', async () => {
  const entries = Array.from({ length: 6 }, () => hostile(600_000)).flat()
  expect(JSON.stringify(entries).length).toBeGreaterThan(2 * transcriptPageBytesMax)
  const grown = entries.map((entry, n) => ({ ...entry, seq: n + 1 }))
  let tell: (event: SessionEvent) => void = () => {}
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const empty = { entries: [], partial: null, damage: [], source: 'live', nextSeq: null }
  const deps = {
    sessions: {
      subscribe: (_: TaskId, listener: typeof tell) => {
        tell = listener
        return () => {}
      },
      current: () => null,
    },
    records: { transcriptPage: async () => empty },
  } as unknown as Parameters<typeof sessionFeed>[0]
  const feed = sessionFeed(deps, newTaskId(), undefined, abort.signal)
  await feed.next()
  await feed.next()
  tell({ type: 'entries', entries: grown })
  const sent: Entry[] = []
  while (sent.length < grown.length) {
    const { value } = await feed.next()
    if (value?.type !== 'entries') throw new Error(`an event of type ${value?.type}`)
    const bytes = Buffer.byteLength(JSON.stringify(value.entries))
    if (value.entries.length > 1) expect(bytes).toBeLessThan(transcriptPageBytesMax * 1.01)
    sent.push(...value.entries)
  }
  expect(sent).toEqual(grown)
})

it('ends when it is aborted while a reader holds an event', async () => {
  const ledger = await openLedger(join(await temporaryDir(), 'ledger.jsonl'), '')
  onTestFinished(() => ledger.close())
  const abort = new AbortController()
  const feed = ledgerFeed(
    { ledger, activity: createActivityBoard(), usage: usageBoard() },
    undefined,
    abort.signal,
  )
  for (const type of ['snapshot', 'activity', 'usage'])
    expect(await feed.next()).toMatchObject({ value: { type } })
  await ledger.record(taskCreated(newTaskId(), newProjectId()))
  expect(await feed.next()).toMatchObject({ value: { type: 'records' } })
  abort.abort()
  expect(await feed.next()).toEqual({ done: true, value: undefined })
})

it('releases its listeners when a reader closes', async () => {
  const ledger = await openLedger(join(await temporaryDir(), 'ledger.jsonl'), '')
  onTestFinished(() => ledger.close())
  const board = createActivityBoard()
  let listening = 0
  const counted = <Subject extends { subscribe: (...given: never[]) => () => void }>(
    subject: Subject,
  ): Subject => ({
    ...subject,
    subscribe(...given: Parameters<Subject['subscribe']>) {
      listening += 1
      const unsubscribe = subject.subscribe(...given)
      return () => {
        listening -= 1
        unsubscribe()
      }
    },
  })
  const abort = new AbortController()
  const deps = { ledger: counted(ledger), activity: counted(board), usage: counted(usageBoard()) }
  const feed = ledgerFeed(deps, undefined, abort.signal)
  for (const type of ['snapshot', 'activity', 'usage'])
    expect(await feed.next()).toMatchObject({ value: { type } })
  expect(listening).toBe(3)
  const waiting = feed.next()
  abort.abort()
  await waiting
  expect(listening).toBe(0)
})

function usageBoard(): UsageBoard {
  return createBoard<RunUsage>((a, b) => a === b)
}
