import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentAgent, historyEntries } from '../../../src/main/tasks/agent-history/entries.ts'
import {
  emptyHistory,
  type HistoryDocument,
  type HistoryEntry,
  parseHistory,
} from '../../../src/main/tasks/agent-history/format.ts'
import { mergeEntries } from '../../../src/main/tasks/agent-history/merge.ts'
import { nextPointer } from '../../../src/main/tasks/agent-history/pointer.ts'
import { pruneEntries } from '../../../src/main/tasks/agent-history/prune.ts'
import { transitionFor } from '../../../src/main/tasks/lifecycle.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/ids.ts'
import type { LedgerEvent } from '../../../src/shared/ledger.ts'
import { type TestLedger, testLedger } from './ledger-of.ts'

/** One pass over the file, as the service does it. */
function bringUpToDate(ledger: TestLedger, document: HistoryDocument): HistoryDocument {
  const { entries, max_entries: max } = document
  const named = new Set(entries.map((entry) => (entry as HistoryEntry | null)?.agent_id))
  const agents = historyEntries(ledger.state, ledger.projectId, {
    max,
    isNamed: (id) => named.has(id),
    findingsOf: () => undefined,
  })
  return { ...document, entries: pruneEntries(mergeEntries(entries, agents), max) }
}

const fresh = (ledger: TestLedger): HistoryEntry[] =>
  bringUpToDate(ledger, emptyHistory()).entries as HistoryEntry[]

const parsed = (value: unknown): HistoryDocument => {
  const read = parseHistory(JSON.stringify(value))
  if (read.kind !== 'ok') throw new Error(`it is ${read.kind}`)
  return read.document
}

const standing = (entries: unknown[]) =>
  (entries as HistoryEntry[]).map(({ agent_id, status }) => [agent_id, status])

describe('what the ledger says', () => {
  it('says of a task what was said when it was asked for, and null of what nobody said', () => {
    const ledger = testLedger()
    const plain = ledger.ask({ title: 'Plain' })
    const asked = ledger.now()
    const first = ledger.ask({ title: 'First' })
    const planned = ledger.ask({
      title: 'Planned',
      dependsOn: [first],
      plan: {
        phase: '02.1',
        plan: '03',
        segment: 2,
        granularity: 'task_group',
        parallelGroup: 'wave-1',
        checkpointsSkipped: 1,
        taskResults: { tests: 'ok' },
      },
    })
    ledger.spawn(planned)
    const spawned = ledger.now()
    ledger.complete(planned)
    const [one, , other] = fresh(ledger)
    expect(one).toEqual({
      agent_id: plain,
      task_description: 'Plain',
      phase: null,
      plan: null,
      segment: null,
      timestamp: asked,
      status: 'queued',
      completion_timestamp: null,
      execution_mode: 'sequential',
      parallel_group: null,
      granularity: null,
      depends_on: null,
      files_modified: null,
      checkpoints_skipped: null,
      task_results: null,
      spawn_commit: null,
    })
    expect(other).toEqual({
      agent_id: planned,
      task_description: 'Planned',
      phase: '02.1',
      plan: '03',
      segment: 2,
      timestamp: spawned,
      status: 'completed',
      completion_timestamp: ledger.now(),
      execution_mode: 'parallel',
      parallel_group: 'wave-1',
      granularity: 'task_group',
      depends_on: [first],
      files_modified: null,
      checkpoints_skipped: 1,
      task_results: { tests: 'ok' },
      spawn_commit: 'c0ffee',
    })
  })

  it('[T6] writes blocked as queued and cancelled and abandoned as failed, with the reason', () => {
    const ledger = testLedger()
    const blocked = ledger.ask()
    ledger.happen({ type: 'task.blocked', taskId: blocked, reason: 'it depends on "A" (failed)' })
    const cancelled = ledger.ask()
    ledger.happen({ type: 'task.cancelled', taskId: cancelled, reason: 'called off' })
    const abandoned = ledger.ask()
    ledger.spawn(abandoned)
    ledger.interrupt(abandoned)
    ledger.happen({ type: 'task.abandoned', taskId: abandoned, reason: 'started fresh' })
    const failed = ledger.ask({ plan: { taskResults: { tried: 3 } } })
    ledger.spawn(failed)
    ledger.fail(failed, 'no such file')
    const document = bringUpToDate(ledger, emptyHistory())
    expect(
      (document.entries as HistoryEntry[]).map(({ status, task_results }) => [
        status,
        task_results,
      ]),
    ).toEqual([
      ['queued', { reason: 'blocked: it depends on "A" (failed)' }],
      ['failed', { reason: 'cancelled: called off' }],
      ['failed', { reason: 'abandoned: started fresh' }],
      ['failed', { tried: 3, reason: 'no such file' }],
    ])

    ledger.happen({ type: 'task.requeued', taskId: blocked })
    ledger.happen({ type: 'task.requeued', taskId: failed })
    const again = bringUpToDate(ledger, document).entries as HistoryEntry[]
    expect(again.map(({ status, task_results }) => [status, task_results]).slice(0, 1)).toEqual([
      ['queued', null],
    ])
    expect(again[3]).toMatchObject({
      status: 'queued',
      completion_timestamp: null,
      task_results: { tried: 3 },
    })
  })

  it('[S1] keeps an interrupted entry, appends a resumed one, and completes the latest', () => {
    const ledger = testLedger()
    const agent = ledger.ask()
    ledger.spawn(agent)
    const other = ledger.ask()
    let document = bringUpToDate(ledger, emptyHistory())
    ledger.interrupt(agent)
    ledger.resume(agent)
    const resumed = ledger.now()
    document = bringUpToDate(ledger, document)
    expect(standing(document.entries)).toEqual([
      [agent, 'interrupted'],
      [other, 'queued'],
      [agent, 'resumed'],
    ])
    ledger.interrupt(agent)
    ledger.resume(agent)
    ledger.complete(agent)
    document = bringUpToDate(ledger, document)
    expect(standing(document.entries)).toEqual([
      [agent, 'interrupted'],
      [other, 'queued'],
      [agent, 'interrupted'],
      [agent, 'completed'],
    ])
    expect(document.entries[2]).toMatchObject({ timestamp: resumed, completion_timestamp: null })
    expect(document.entries[3]).toMatchObject({ completion_timestamp: ledger.now() })
  })

  it('writes the follow-ups of a root, and a retry, into the entry that is there (T7)', () => {
    const ledger = testLedger()
    const root = ledger.ask()
    ledger.spawn(root)
    ledger.complete(root)
    ledger.spawn(root)
    expect(standing(fresh(ledger))).toEqual([[root, 'spawned']])
    ledger.fail(root)
    ledger.happen({ type: 'task.requeued', taskId: root })
    ledger.spawn(root)
    ledger.complete(root)
    expect(standing(fresh(ledger))).toEqual([[root, 'completed']])
  })

  it('names the batch of those that worked side by side in the form that planning tools know', () => {
    const ledger = testLedger()
    const parentId = ledger.ask()
    const child = (plan: object) => ledger.ask({ parentId, rootId: parentId, plan })
    child({ phase: '02' })
    const seconds = Math.floor(Date.parse(ledger.now()) / 1000)
    child({ phase: '02' })
    child({ phase: '03', plan: '01', granularity: 'task_group' })
    child({ phase: '03', plan: '01', granularity: 'task_group' })
    child({ phase: '04' })
    expect(
      fresh(ledger).map(({ execution_mode, parallel_group }) => [execution_mode, parallel_group]),
    ).toEqual([
      ['sequential', null],
      ['parallel', `phase-02-batch-${seconds}`],
      ['parallel', `phase-02-batch-${seconds}`],
      ['parallel', `plan-03-01-tasks-batch-${seconds + 2}`],
      ['parallel', `plan-03-01-tasks-batch-${seconds + 2}`],
      ['sequential', null],
    ])
  })

  it('says nothing of other projects and of what another tool recorded, and fails what was deleted', () => {
    const ledger = testLedger()
    ledger.ask({ projectId: newProjectId() })
    ledger.ask({ imported: true })
    const root = ledger.ask()
    ledger.spawn(root)
    ledger.interrupt(root)
    ledger.happen({ type: 'workspace.trashed', workspaceId: root })
    expect(fresh(ledger)).toMatchObject([
      { agent_id: root, status: 'failed', task_results: { reason: 'it was deleted' } },
    ])
    ledger.happen({ type: 'workspace.untrashed', workspaceId: root })
    expect(standing(fresh(ledger))).toEqual([[root, 'interrupted']])
  })
})

describe('merging with the file', () => {
  it('keeps fields and entries that it does not know, where they are', () => {
    const ledger = testLedger()
    const agent = ledger.ask({ title: 'Ours' })
    const theirs = { agent_id: 'agent_01', status: 'spawned', notes: ['theirs'] }
    const file = parsed({
      $schema: 'x',
      version: '1.2',
      max_entries: 20,
      owner: { name: 'a tool' },
      entries: [
        theirs,
        { agent_id: agent, status: 'queued', stars: 5 },
        'not even an object',
        null,
      ],
    })
    ledger.spawn(agent)
    const merged = bringUpToDate(ledger, file)
    expect(merged).toMatchObject({ $schema: 'x', max_entries: 20, owner: { name: 'a tool' } })
    expect(merged.entries).toEqual([
      theirs,
      expect.objectContaining({
        agent_id: agent,
        status: 'spawned',
        stars: 5,
        task_description: 'Ours',
      }),
      'not even an object',
      null,
    ])
  })

  it('keeps what others described, filled in and found out; of the status the ledger has the word', () => {
    const ledger = testLedger()
    const agent = ledger.ask({ title: 'Ours', plan: { phase: '02', taskResults: { a: 1 } } })
    ledger.spawn(agent)
    const document = bringUpToDate(ledger, emptyHistory())
    const edited = {
      task_description: 'Ours, in better words',
      plan: '07',
      segment: 3,
      files_modified: ['seen.txt'],
      task_results: { a: 1, theirs: true },
      parallel_group: 'phase-02-batch-1',
      execution_mode: 'parallel',
    }
    const entry = { ...(document.entries[0] as HistoryEntry), ...edited, status: 'failed' }
    ledger.complete(agent)
    expect(bringUpToDate(ledger, { ...document, entries: [entry] }).entries).toEqual([
      expect.objectContaining({ ...edited, phase: '02', status: 'completed' }),
    ])
  })

  it('puts back what somebody took out, an earlier life before the later one', () => {
    const ledger = testLedger()
    const agent = ledger.ask()
    ledger.spawn(agent)
    ledger.interrupt(agent)
    const other = ledger.ask()
    ledger.resume(agent)
    const whole = bringUpToDate(ledger, emptyHistory())
    expect(standing(whole.entries)).toEqual([
      [agent, 'interrupted'],
      [other, 'queued'],
      [agent, 'resumed'],
    ])
    const [, ...cut] = whole.entries
    const mended = bringUpToDate(ledger, { ...whole, entries: cut })
    expect(standing(mended.entries)).toEqual([
      [other, 'queued'],
      [agent, 'interrupted'],
      [agent, 'resumed'],
    ])
    expect(mended.entries[2]).toEqual(whole.entries[2])
  })

  it('brings a file up to date that is older than what is kept of the newest', () => {
    const ledger = testLedger()
    const old = ledger.ask()
    ledger.spawn(old)
    const backup = bringUpToDate(ledger, emptyHistory())
    ledger.complete(old)
    for (let n = 0; n < 60; n++) {
      const agent = ledger.ask()
      ledger.spawn(agent)
      ledger.complete(agent)
    }
    const entries = bringUpToDate(ledger, { ...backup, max_entries: 100 }).entries
    expect(entries).toHaveLength(61)
    expect(entries[0]).toMatchObject({ agent_id: old, status: 'completed' })
  })
})

describe('versions of the file', () => {
  const entry = {
    agent_id: 'agent_01',
    task_description: 'Theirs',
    phase: '01',
    plan: '02',
    segment: null,
    timestamp: '2025-01-15T10:30:00Z',
    status: 'completed',
    completion_timestamp: '2025-01-15T11:00:00Z',
  }

  it('reads 1.0 and 1.1 and adds what came later', () => {
    const one = parsed({ version: '1.0', max_entries: 50, entries: [entry] })
    expect(one).toEqual({
      version: '1.2',
      max_entries: 50,
      entries: [
        {
          ...entry,
          execution_mode: 'sequential',
          parallel_group: null,
          granularity: null,
          depends_on: null,
          files_modified: null,
          checkpoints_skipped: null,
          task_results: null,
        },
      ],
    })
    const batch = { ...entry, execution_mode: 'parallel', parallel_group: 'phase-01-batch-1' }
    const second = parsed({ version: '1.1', max_entries: 50, entries: [batch, 'rubbish'] })
    expect(second.entries).toEqual([
      { ...batch, files_modified: null, checkpoints_skipped: null, task_results: null },
      'rubbish',
    ])
  })

  it('takes a version that was written as a number, and a limit only when it is one', () => {
    expect(parsed({ version: 1, entries: [entry] })).toMatchObject({
      version: '1.2',
      max_entries: 50,
    })
    for (const [given, taken] of [
      [7, 7],
      [0, 50],
      [-3, 50],
      ['12', 50],
      [1.5, 50],
      [1e9, 50],
    ]) {
      expect(parsed({ version: '1.2', max_entries: given, entries: [] }).max_entries).toBe(taken)
    }
  })

  it('tells a newer one from what is no history', () => {
    expect(parseHistory('{"version":"1.10","entries":[]}')).toEqual({
      kind: 'newer',
      version: '1.10',
    })
    expect(parseHistory('{"version":"2.0"}')).toMatchObject({ kind: 'newer' })
    for (const text of [
      '',
      'null',
      '[]',
      '"1.2"',
      '{"entries":[]}',
      '{"version":"1.2"}',
      '{"version":"1.2","entries":{}}',
      '{"version":"0.9","entries":[]}',
      '{"version":"latest","entries":[]}',
      '{"version":"1.2","entries":[',
    ]) {
      expect(parseHistory(text).kind, text).toBe('damaged')
    }
    expect(parseHistory('\uFEFF{"version":"1.2","entries":[]}').kind).toBe('ok')
  })
})

describe('pruning', () => {
  const of = (status: string, n: number, over: object = {}) => ({
    agent_id: `${status}-${n}`,
    status,
    timestamp: new Date(n * 1000).toISOString(),
    completion_timestamp: new Date(n * 1000).toISOString(),
    ...over,
  })
  const many = (status: string, count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => of(status, from + n))

  it('[X2] takes the oldest completed first, whatever their place in the file', () => {
    const entries = [...many('completed', 3, 100), ...many('completed', 3)]
    expect(pruneEntries(entries, 4)).toEqual([...many('completed', 3, 100), of('completed', 2)])
  })

  it('[X2] never takes an agent that may need resuming: then there are more than the limit', () => {
    const open = ['interrupted', 'queued', 'spawned', 'resumed', 'of-a-tool'].map((status) =>
      of(status, 0),
    )
    const entries = [...open, ...many('completed', 50, 10)]
    const kept = pruneEntries(entries, 50)
    expect(kept).toHaveLength(50)
    expect(kept.slice(0, 5)).toEqual(open)
    expect(pruneEntries(open, 2)).toEqual(open)
  })

  it('[X2] takes all that is said of an agent, or a completed one would look interrupted', () => {
    const agent_id = 'twice'
    const entries = [
      of('interrupted', 1, { agent_id }),
      of('completed', 9),
      of('completed', 2, { agent_id }),
    ]
    expect(pruneEntries(entries, 2)).toEqual([of('completed', 9)])
  })

  it('[X2] keeps failed ones longer, but not at the cost of all that completes now', () => {
    const failed = many('failed', 60)
    const some = [...failed.slice(0, 30), ...many('completed', 25, 100)]
    expect(
      pruneEntries(some, 50).filter((one) => (one as HistoryEntry).status === 'failed'),
    ).toEqual(failed.slice(5, 30))
    const kept = pruneEntries([...failed.slice(0, 10), ...many('completed', 60, 100)], 50)
    expect(kept).toEqual([...failed.slice(0, 10), ...many('completed', 40, 120)])
    expect(pruneEntries([...failed, of('completed', 100)], 50)).toContainEqual(of('completed', 100))
  })

  it('[X2] puts nothing back that it took, and keeps an interrupted one that is the oldest of all', () => {
    const ledger = testLedger()
    const oldest = ledger.ask()
    ledger.spawn(oldest)
    ledger.interrupt(oldest)
    let document = bringUpToDate(ledger, emptyHistory())
    const completed: TaskId[] = []
    for (let n = 0; n < 60; n++) {
      const agent = ledger.ask()
      ledger.spawn(agent)
      ledger.complete(agent)
      completed.push(agent)
      document = bringUpToDate(ledger, document)
    }
    expect(standing(document.entries)).toEqual([
      [oldest, 'interrupted'],
      ...completed.slice(-49).map((id) => [id, 'completed']),
    ])
    expect(bringUpToDate(ledger, document)).toEqual(document)
  })
})

describe('the pointer', () => {
  const ours = newTaskId()
  const isOurs = (id: string) => id === ours

  it('names who runs, is taken away when none does, and is left alone when it is not ours', () => {
    expect(nextPointer(null, ours, isOurs).change).toEqual({ kind: 'write', text: `${ours}\n` })
    expect(nextPointer(`${ours}\n`, ours, isOurs).change).toEqual({ kind: 'none' })
    expect(nextPointer(`${ours}\n`, null, isOurs).change).toEqual({ kind: 'remove' })
    for (const text of [null, '', ' \n'])
      expect(nextPointer(text, null, isOurs)).toEqual({ change: { kind: 'none' }, stranger: null })
    expect(nextPointer('agent_01', null, isOurs)).toEqual({
      change: { kind: 'none' },
      stranger: 'agent_01',
    })
    expect(nextPointer('agent_01', ours, isOurs)).toMatchObject({
      change: { kind: 'write' },
      stranger: 'agent_01',
    })
  })

  it('names the one that was started last of those that run', () => {
    const ledger = testLedger()
    const [a, b] = [ledger.ask(), ledger.ask()]
    const current = () => currentAgent(ledger.state, ledger.projectId)
    expect(current()).toBeNull()
    ledger.spawn(b)
    ledger.spawn(a)
    expect(current()).toBe(a)
    ledger.interrupt(a)
    expect(current()).toBe(b)
    ledger.resume(a)
    expect(current()).toBe(a)
    ledger.complete(a)
    ledger.complete(b)
    expect(current()).toBeNull()
  })
})

describe('any history', () => {
  const step = fc.record({
    agent: fc.nat(5),
    event: fc.constantFrom<LedgerEvent['type'] | 'ask' | 'write'>(
      ...(['ask', 'ask', 'write', 'task.spawned', 'task.spawned', 'task.resumed'] as const),
      ...(['task.completed', 'task.completed', 'task.interrupted', 'task.failed'] as const),
      ...(['task.blocked', 'task.requeued', 'task.cancelled', 'task.abandoned'] as const),
    ),
  })

  it('[X2][T] drops none that may need resuming, and says one thing at a time of each', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, max) => {
          const ledger = testLedger()
          const agents: TaskId[] = []
          let document: HistoryDocument = { ...emptyHistory(), max_entries: max }
          for (const { agent, event } of steps) {
            const taskId = agents[agents.length - 1 - agent]
            if (event === 'write') document = bringUpToDate(ledger, document)
            else if (event === 'ask') agents.push(ledger.ask())
            else if (taskId) move(ledger, taskId, event)
          }
          document = bringUpToDate(ledger, document)
          check(ledger, document, max)
          // Written rarely or often, read back or not: the same.
          expect(bringUpToDate(ledger, parsed(document))).toEqual(document)
        },
      ),
      { numRuns: 300 },
    )
  })

  /** What the lifecycle does not allow does not happen. */
  function move(ledger: TestLedger, taskId: TaskId, type: LedgerEvent['type']): void {
    const task = ledger.state.tasks.get(taskId)
    if (!task || !transitionFor(task, type)) return
    if (type === 'task.spawned') ledger.spawn(taskId)
    else if (type === 'task.resumed') ledger.resume(taskId)
    else if (type === 'task.completed') ledger.complete(taskId)
    else if (type === 'task.interrupted') ledger.interrupt(taskId)
    else if (type === 'task.failed') ledger.fail(taskId)
    else ledger.happen({ type, taskId, reason: 'because' } as LedgerEvent)
  }

  function check(ledger: TestLedger, document: HistoryDocument, max: number): void {
    const entries = document.entries as HistoryEntry[]
    const byAgent = Map.groupBy(entries, (entry) => entry.agent_id)
    const mayGoOn = (status: string) => !['completed', 'failed'].includes(status)
    for (const task of ledger.state.tasks.values()) {
      const own = byAgent.get(task.id)
      if (['queued', 'blocked', 'spawned', 'resumed', 'interrupted'].includes(task.status))
        expect(own, `${task.status} was dropped`).toBeDefined()
      // Every life but the latest ended in an interruption, and none is missing.
      const before = own?.slice(0, -1) ?? []
      expect(before.every(({ status }) => status === 'interrupted')).toBe(true)
      if (own) {
        const wentOn = task.runs.slice(0, -1).filter(({ status }) => status === 'interrupted')
        expect(before).toHaveLength(wentOn.length)
      }
    }
    const ended = [...byAgent.values()].filter((own) => !mayGoOn(own.at(-1)?.status ?? ''))
    if (entries.length > max) expect(ended).toEqual([])
  }
})
