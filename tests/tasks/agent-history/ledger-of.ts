/** A ledger in memory, made of events: what the history is folded from. */

import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../src/shared/projections/ledger/ledger-state.ts'
import type { ProjectId, TaskId } from '../../../src/shared/records/ids.ts'
import { newProjectId, newTaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent, LedgerEventOf } from '../../../src/shared/records/ledger.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'

const process = { pid: 1, startedAt: 'then' }

export interface TestLedger {
  state: LedgerState
  projectId: ProjectId
  /** One second later. */
  happen(event: LedgerEvent): void
  /** Asks for a task; resolves at once, a second later. */
  ask(over?: Partial<LedgerEventOf<'task.created'>>): TaskId
  spawn(taskId: TaskId): void
  resume(taskId: TaskId): void
  complete(taskId: TaskId): void
  interrupt(taskId: TaskId): void
  fail(taskId: TaskId, error?: string): void
  /** ISO 8601, of the latest event. */
  now(): string
}

export function testLedger(): TestLedger {
  const state = emptyLedgerState('/data')
  const projectId = newProjectId()
  let seq = 0
  const at = () => Date.UTC(2026, 0, 1) + seq * 1000

  const happen = (event: LedgerEvent) => {
    seq++
    foldLedgerRecord(state, { seq, at: at(), event })
  }
  const run = (taskId: TaskId) => state.tasks.get(taskId)?.runs.length ?? 0

  return {
    state,
    projectId,
    happen,
    ask(over = {}) {
      const taskId = over.taskId ?? newTaskId()
      happen({
        type: 'task.created',
        taskId,
        parentId: null,
        rootId: taskId,
        projectId,
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
        ...over,
      })
      return taskId
    },
    spawn: (taskId) =>
      happen({
        type: 'task.spawned',
        taskId,
        run: run(taskId) + 1,
        process,
        spawnCommit: 'c0ffee',
      }),
    resume: (taskId) => happen({ type: 'task.resumed', taskId, run: run(taskId) + 1, process }),
    complete: (taskId) =>
      happen({ type: 'task.completed', taskId, run: run(taskId), usage: noUsage }),
    interrupt: (taskId) =>
      happen({
        type: 'task.interrupted',
        taskId,
        run: run(taskId),
        cause: { kind: 'error', detail: 'killed' },
        usage: noUsage,
      }),
    fail: (taskId, text = 'it gave up') =>
      happen({
        type: 'task.failed',
        taskId,
        run: run(taskId),
        cause: { kind: 'said', text },
        usage: noUsage,
      }),
    now: () => new Date(at()).toISOString(),
  }
}
