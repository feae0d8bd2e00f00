/** Folds the ledger into the agent history of a project. Pure. See FORMAT.md. */

import { assertNever } from '../../../shared/assert-never.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { parallelGroupOf } from '../../../shared/projections/transcript/parallel-group.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Run } from '../../../shared/records/tasks/runs.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { HistoryEntry, HistoryStatus, JsonObject } from './format.ts'

/** Facts about an agent from outside the ledger: from Git, and from its report. Null: unknown. */
export interface Findings {
  files: string[] | null
  results: JsonObject | null
}

/** The entries of one agent, oldest first: one for its start, and one for each resume after an interruption. */
export interface AgentEntries {
  agentId: TaskId
  entries: HistoryEntry[]
}

/**
 * Returns the entries that the history should contain: agents that may need resuming, the newest
 * that have ended (`max` completed ones and as many failed ones: more are never kept), and those
 * that the file contains.
 */
export function historyEntries(
  state: LedgerState,
  projectId: ProjectId,
  {
    max,
    isNamed,
    findingsOf,
  }: {
    max: number
    isNamed: (agentId: string) => boolean
    findingsOf: (task: Task) => Findings | undefined
  },
): AgentEntries[] {
  const tasks = [...state.tasks.values()].filter(
    // Entries of other tools describe events that did not happen here.
    (task) => task.projectId === projectId && !task.imported,
  )
  const newest = new Set<TaskId>()
  for (const status of ['completed', 'failed'] as const) {
    const ended = tasks.filter((task) => historyStatusOf(task).status === status).sort(byEnd)
    for (const task of ended.slice(-max)) newest.add(task.id)
  }
  return tasks
    .filter((task) => newest.has(task.id) || isNamed(task.id) || mayNeedResuming(task))
    .map((task) => ({
      agentId: task.id,
      entries: entriesOf(state, task, findingsOf(task)),
    }))
}

/** Returns the running agent that was started or resumed last; null if none runs. */
export function currentAgent(state: LedgerState, projectId: ProjectId): TaskId | null {
  let current: { id: TaskId; startedAt: string } | null = null
  for (const task of state.tasks.values()) {
    const run = task.runs.at(-1)
    if (task.projectId !== projectId || task.imported || run?.status !== 'running') continue
    if (!current || run.startedAt >= current.startedAt)
      current = { id: task.id, startedAt: run.startedAt }
  }
  return current?.id ?? null
}

function entriesOf(state: LedgerState, task: Task, findings: Findings | undefined): HistoryEntry[] {
  const { plan } = task
  const group = parallelGroupOf(state, task)
  const groups = runsByEntry(task.runs)
  return groups.map((runs, index) => {
    const isLatest = index === groups.length - 1
    const { status, reason }: MappedStatus = isLatest
      ? historyStatusOf(task)
      : { status: 'interrupted' }
    const ended = status === 'completed' || status === 'failed'
    return {
      agent_id: task.id,
      task_description: task.title,
      phase: plan.phase ?? unplanned,
      plan: plan.plan ?? unplanned,
      segment: plan.segment ?? null,
      timestamp: runs[0]?.startedAt ?? task.createdAt,
      status,
      completion_timestamp: ended ? task.endedAt : null,
      execution_mode: group === null ? 'sequential' : 'parallel',
      parallel_group: group,
      granularity: plan.granularity ?? 'plan',
      depends_on: task.dependsOn.length > 0 ? [...task.dependsOn] : null,
      files_modified: isLatest ? (findings?.files ?? null) : null,
      checkpoints_skipped: plan.checkpointsSkipped ?? null,
      task_results: taskResults(task, isLatest ? findings : undefined, reason),
      spawn_commit: task.spawnCommit,
    }
  })
}

/** A resume after an interruption begins a new entry; after a failure or completion the same entry continues. */
function runsByEntry(runs: Run[]): Run[][] {
  const groups: Run[][] = [[]]
  let before: Run | undefined
  for (const run of runs) {
    if (before?.status === 'interrupted') groups.push([])
    groups.at(-1)?.push(run)
    before = run
  }
  return groups
}

function taskResults(
  task: Task,
  findings: Findings | undefined,
  reason: string | undefined,
): JsonObject | null {
  const results = {
    ...task.plan.taskResults,
    ...findings?.results,
    ...(reason === undefined ? {} : { reason }),
  }
  return Object.keys(results).length > 0 ? results : null
}

/** Planning tools require a string here. Their own phases and plans begin with 01. */
const unplanned = '00'

interface MappedStatus {
  status: HistoryStatus
  reason?: string
}

/** Maps the nine states of a task to the file's six, with a reason where the state is lost in the mapping. */
function historyStatusOf(task: Task): MappedStatus {
  const why = task.cause ? formatCause(task.cause, { reader: 'agent' }) : 'no reason was given'
  // Nothing that lies in the trash can be resumed.
  if (task.trashed && isUnfinished(task)) return { status: 'failed', reason: 'it was deleted' }
  switch (task.status) {
    case 'queued':
    case 'spawned':
    case 'resumed':
    case 'interrupted':
    case 'completed':
      return { status: task.status }
    case 'failed':
      return { status: 'failed', reason: why }
    case 'blocked':
      return { status: 'queued', reason: `blocked: ${why}` }
    case 'cancelled':
      return { status: 'failed', reason: `cancelled: ${why}` }
    case 'abandoned':
      return { status: 'failed', reason: `abandoned: ${why}` }
    default:
      return assertNever(task.status)
  }
}

function isUnfinished({ status }: Task): boolean {
  return ['queued', 'blocked', 'spawned', 'resumed', 'interrupted'].includes(status)
}

function mayNeedResuming(task: Task): boolean {
  const { status } = historyStatusOf(task)
  return status !== 'completed' && status !== 'failed'
}

function byEnd(a: Task, b: Task): number {
  return (a.endedAt ?? a.createdAt).localeCompare(b.endedAt ?? b.createdAt)
}
