import { describe, expect, it } from 'vitest'
import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../../src/shared/projections/ledger/ledger-state.ts'
import { parallelGroupOf } from '../../../src/shared/projections/transcript/parallel-group.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'

/** A lead that starts sub-agents, each event at a time of its own. */
function ledger() {
  const state = emptyLedgerState('')
  const projectId = newProjectId()
  let seq = 0
  const record = (at: number, event: LedgerEvent) =>
    foldLedgerRecord(state, { seq: ++seq, at, event })
  record(0, { type: 'project.added', projectId, name: 'api', dir: '/code/api', git: true })
  const create = (at: number, rootId: TaskId | null) => {
    const taskId = newTaskId()
    record(at, {
      type: 'task.created',
      taskId,
      parentId: rootId,
      rootId: rootId ?? taskId,
      projectId,
      spec: scriptedSpec(),
      title: 'One',
      agent: 'one',
      prompt: 'Go',
      isolation: 'worktree',
      model: null,
      callId: null,
      resumedFrom: null,
      dependsOn: [],
      plan: {},
      options: { agentsAtOnce: 3, keep: false },
    })
    const process = { pid: 1, startedAt: '1' }
    record(at, { type: 'task.spawned', taskId, run: 1, process, spawnCommit: null })
    return taskId
  }
  const groupOf = (id: TaskId) => {
    const task = state.tasks.get(id)
    return task ? parallelGroupOf(state, task) : null
  }
  const lead = create(0, null)
  const stop = (at: number, taskId: TaskId, endedAt?: number) =>
    record(at, {
      type: 'task.interrupted',
      taskId,
      run: 1,
      cause: { kind: 'closed', how: 'quit' },
      usage: noUsage,
      endedAt,
    })
  return { start: (at: number) => create(at, lead), stop, groupOf }
}

describe('the parallel group of agents whose process was killed', () => {
  it('contains a task that had shown no activity since the other was started', () => {
    const { start, stop, groupOf } = ledger()
    const first = start(1_000)
    const second = start(5_000)
    // Its last entry is older than the second agent, but both ran when the process was killed.
    stop(9_000, first, 1_500)
    stop(9_000, second, 5_500)
    expect(groupOf(first)).toBe('batch-1')
    expect(groupOf(second)).toBe('batch-1')
  })

  it('does not contain a task that a later process started', () => {
    const { start, stop, groupOf } = ledger()
    const first = start(1_000)
    stop(4_000, first, 1_500)
    const later = start(5_000)
    expect(groupOf(first)).toBeNull()
    expect(groupOf(later)).toBeNull()
  })

  it('does not contain a task that was stopped before the other was started', () => {
    const { start, stop, groupOf } = ledger()
    const first = start(1_000)
    stop(2_000, first)
    const second = start(5_000)
    expect(groupOf(first)).toBeNull()
    expect(groupOf(second)).toBeNull()
  })
})
