/** Tasks for planners, folded from events as the real ones are. */

import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../src/shared/projections/ledger/ledger-state.ts'
import { newProjectId, newReceiptId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import type { TaskStatus } from '../../src/shared/records/tasks/task-status.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'

export const dayMs = 86_400_000
export const nowMs = Date.parse('2026-11-21T12:00:00Z')

export interface Wanted {
  status?: TaskStatus
  /** Days before `nowMs` that its run ended, or that it was made when it has none. */
  endedDaysAgo?: number
  /** False: its workspace is still there. */
  archived?: boolean
  pinned?: boolean
  imported?: boolean
  parentId?: TaskId | null
  resumedFrom?: TaskId | null
}

const process = { pid: 1, startedAt: '1' }
const projectId = newProjectId()

export function createWorld() {
  const state: LedgerState = emptyLedgerState('/data')
  const record = (atMs: number, ...events: LedgerEvent[]): void => {
    for (const event of events)
      foldLedgerRecord(state, { seq: state.seq + 1, at: Math.round(atMs), event })
  }

  function add(wanted: Wanted = {}): TaskId {
    const { status = 'completed', endedDaysAgo = 0, archived = true, parentId = null } = wanted
    const taskId = newTaskId()
    const at = nowMs - endedDaysAgo * dayMs
    const run = { taskId, run: 1 }
    const root = parentId ? state.tasks.get(parentId)?.rootId : undefined
    record(at, {
      type: 'task.created',
      taskId,
      parentId,
      rootId: root ?? taskId,
      projectId,
      title: 'A task',
      agent: 'lead',
      spec: scriptedSpec(),
      prompt: '',
      model: null,
      isolation: 'worktree',
      callId: null,
      resumedFrom: wanted.resumedFrom ? { taskId: wanted.resumedFrom, seq: 1 } : null,
      dependsOn: [],
      plan: {},
      imported: wanted.imported,
      options: { agentsAtOnce: 3, keep: false },
    })
    // What waits for others gets its workspace when it begins.
    if (status === 'blocked') {
      record(at, { type: 'task.blocked', taskId, cause: { kind: 'error', detail: 'It waits.' } })
      return taskId
    }
    record(at, {
      type: 'workspace.created',
      workspaceId: taskId,
      kind: parentId ? 'task' : 'root',
      isolation: 'worktree',
      path: taskId,
      branch: null,
      baseCommit: null,
      baseBranch: null,
    })
    if (status === 'queued') return taskId
    record(at, { type: 'task.spawned', ...run, process, spawnCommit: null })
    if (status === 'completed') record(at, { type: 'task.completed', ...run, usage: noUsage })
    if (status === 'failed')
      record(at, {
        type: 'task.failed',
        ...run,
        cause: { kind: 'said', text: 'no' },
        usage: noUsage,
      })
    if (['interrupted', 'resumed', 'abandoned'].includes(status))
      record(at, {
        type: 'task.interrupted',
        ...run,
        cause: { kind: 'closed', how: 'quit' },
        usage: noUsage,
      })
    if (status === 'resumed') record(at, { type: 'task.resumed', taskId, run: 2, process })
    if (status === 'abandoned')
      record(at, { type: 'task.abandoned', taskId, cause: { kind: 'error', detail: 'enough' } })
    if (archived) {
      const advanced = { type: 'workspace.removal-advanced', workspaceId: taskId } as const
      record(at, { ...advanced, step: 'removed', pending: null })
    }
    if (wanted.pinned) record(at, { type: 'task.pinned', taskId })
    return taskId
  }

  /** As a sweep does, `daysAgo`. */
  function expire(taskId: TaskId, daysAgo: number, trashTtlDays = 7): void {
    const at = nowMs - daysAgo * dayMs
    const keptUntil = at + trashTtlDays * dayMs
    record(at, { type: 'transcript.expired', taskId, receiptId: newReceiptId(), keptUntil })
  }

  return { state, record, add, expire }
}
