import { describe, expect, it } from 'vitest'
import { lifecycle, transitionFor } from '../../../src/main/tasks/state/lifecycle.ts'
import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../../src/shared/projections/ledger/ledger-state.ts'
import { newProjectId, newTaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import { type TaskStatus, taskStatuses } from '../../../src/shared/records/tasks/task-status.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'

const events = [...new Set(lifecycle.map((row) => row.event))]
const process = { pid: 1, startedAt: 'then' }

describe('the lifecycle table', () => {
  it('[T] has at most one row for a state and an event, for a root and for a sub-agent', () => {
    for (const status of taskStatuses) {
      for (const event of events) {
        for (const isRoot of [true, false]) {
          const rows = lifecycle.filter(
            (row) =>
              row.event === event && row.from.includes(status) && (isRoot || row.only !== 'root'),
          )
          expect(
            rows.length,
            `${status} ${event} ${isRoot ? 'root' : 'sub-agent'}`,
          ).toBeLessThanOrEqual(1)
        }
      }
    }
  })

  it('[T4] allows no event for a completed sub-agent', () => {
    const completed = { status: 'completed' as const, parentId: newTaskId() }
    for (const event of events) expect(transitionFor(completed, event), event).toBeNull()
  })

  it('[T7] accepts a follow-up of a root after any end of a run, and of a sub-agent never', () => {
    for (const status of ['completed', 'interrupted', 'failed'] as const) {
      expect(transitionFor({ status, parentId: null }, 'task.spawned')?.to).toBe('spawned')
      expect(transitionFor({ status, parentId: newTaskId() }, 'task.spawned')).toBeNull()
    }
  })

  it('agrees with the fold of the ledger, row by row', () => {
    for (const row of lifecycle) {
      for (const from of row.from)
        expect(foldTo(from, row.event), `${from} ${row.event}`).toBe(row.to)
    }
  })
})

/** The status that the fold gives after `event` happens to a task in `from`. */
function foldTo(from: TaskStatus, event: LedgerEvent['type']): TaskStatus | undefined {
  const state = emptyLedgerState('/data')
  const taskId = newTaskId()
  let seq = 0
  const happen = (one: LedgerEvent) => foldLedgerRecord(state, { seq: ++seq, at: seq, event: one })
  happen({
    type: 'task.created',
    taskId,
    parentId: null,
    rootId: taskId,
    projectId: newProjectId(),
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
  })
  const task = state.tasks.get(taskId)
  if (task) state.tasks.set(taskId, { ...task, status: from })
  happen(eventOf(event, taskId))
  return state.tasks.get(taskId)?.status
}

function eventOf(type: LedgerEvent['type'], taskId: ReturnType<typeof newTaskId>): LedgerEvent {
  const run = 1
  const cause = { kind: 'error', detail: 'why' } as const
  switch (type) {
    case 'task.spawned':
      return { type, taskId, run, process, spawnCommit: null }
    case 'task.resumed':
      return { type, taskId, run, process }
    case 'task.completed':
      return { type, taskId, run, usage: noUsage }
    case 'task.interrupted':
      return { type, taskId, run, cause, usage: noUsage }
    case 'task.failed':
      return { type, taskId, run, cause, usage: noUsage }
    case 'task.blocked':
    case 'task.cancelled':
    case 'task.abandoned':
      return { type, taskId, cause }
    case 'task.requeued':
      return { type, taskId }
    default:
      throw new Error(`the lifecycle table names ${type}, which moves no task`)
  }
}
