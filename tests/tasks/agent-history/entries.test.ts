import { describe, expect, it } from 'vitest'
import { emptyHistory, type HistoryEntry } from '../../../src/main/tasks/agent-history/format.ts'
import { newProjectId, type TaskId } from '../../../src/shared/records/ids.ts'
import { testLedger } from './ledger-of.ts'
import { bringUpToDate, fresh, standing } from './up-to-date.ts'

describe('entries from the ledger', () => {
  it('describes a task as it was requested, with defaults that planning tools can read', () => {
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
      phase: '00',
      plan: '00',
      segment: null,
      timestamp: asked,
      status: 'queued',
      completion_timestamp: null,
      execution_mode: 'sequential',
      parallel_group: null,
      granularity: 'plan',
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

  it('[T6] writes blocked as queued, and cancelled and abandoned as failed, with the reason', () => {
    const ledger = testLedger()
    const blocked = ledger.ask()
    ledger.happen({
      type: 'task.blocked',
      taskId: blocked,
      cause: { kind: 'dependencies', tasks: [{ taskId: blocked, title: 'A', status: 'failed' }] },
    })
    const cancelled = ledger.ask()
    ledger.happen({
      type: 'task.cancelled',
      taskId: cancelled,
      cause: { kind: 'error', detail: 'called off' },
    })
    const abandoned = ledger.ask()
    ledger.spawn(abandoned)
    ledger.interrupt(abandoned)
    ledger.happen({ type: 'task.abandoned', taskId: abandoned, cause: { kind: 'restarted' } })
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
      ['failed', { reason: 'abandoned: restarted' }],
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

  it('adds the follow-ups of a root, and a retry, to its existing entry (T7)', () => {
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

  it('groups all plans of a phase that run together, including the one queued behind another', () => {
    const ledger = testLedger()
    const parentId = ledger.ask()
    const child = (plan: object, dependsOn: TaskId[] = []) =>
      ledger.ask({ parentId, rootId: parentId, plan: { phase: '05', ...plan }, dependsOn })
    const first = child({ plan: '01' })
    const seconds = Math.floor(Date.parse(ledger.now()) / 1000)
    ledger.spawn(first)
    ledger.spawn(child({ plan: '02' }))
    child({ plan: '03' }, [first])
    ledger.spawn(child({ plan: '01', segment: 1, granularity: 'task_group' }))
    ledger.spawn(child({ plan: '05-01', segment: 2, granularity: 'task_group' }))
    ledger.spawn(ledger.ask({ parentId, rootId: parentId, plan: { phase: '06', plan: '01' } }))
    const group = `phase-05-batch-${seconds}`
    const segments = expect.stringMatching(/^plan-05-01-tasks-batch-\d+$/)
    expect(
      fresh(ledger).map(({ plan, execution_mode, parallel_group }) => [
        plan,
        execution_mode,
        parallel_group,
      ]),
    ).toEqual([
      ['00', 'sequential', null],
      ['01', 'parallel', group],
      ['02', 'parallel', group],
      ['03', 'parallel', group],
      ['01', 'parallel', segments],
      ['05-01', 'parallel', segments],
      ['01', 'sequential', null],
    ])
  })

  it('names the batch of parallel agents in the format of planning tools', () => {
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

  it('leaves out other projects and entries of other tools, and marks deleted tasks as failed', () => {
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
