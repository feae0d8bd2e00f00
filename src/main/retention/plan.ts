/** Selects the transcripts that a sweep removes, with the reason. Pure: takes the state, the settings and the time. */

import type { RemovalReason, RetentionSettings } from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'

interface PlannedRemoval {
  id: TaskId
  kind: 'transcript'
  reason: RemovalReason
  bytes: number
}

interface SweepPlan {
  /** Ordered by last activity, oldest first. */
  remove: PlannedRemoval[]
  /** The number of transcripts that stay. */
  kept: number
}

/**
 * Selects the transcripts of finished tasks beyond their days (X2), then the oldest by last
 * activity until no more than `transcriptsMax` and `bytesMax` are left. Protected ones are never
 * selected (X1), but count, so a limit may stay exceeded. `sizes` are bytes by task; an absent size
 * counts as 0, and null means that the transcript is missing: it neither counts nor expires.
 */
export function planSweep(
  state: Pick<LedgerState, 'tasks'>,
  sizes: ReadonlyMap<TaskId, number | null>,
  settings: RetentionSettings,
  nowMs: number,
): SweepPlan {
  const all = keptTranscripts(state).filter((task) => sizes.get(task.id) !== null)
  const safe = protectedTasks(state)
  const bytesOf = (task: Task): number => sizes.get(task.id) ?? 0
  const candidates = all
    .filter((task) => !safe.has(task.id))
    .map((task) => ({ task, activeMs: lastActivityMs(task) }))
    .sort((a, b) => a.activeMs - b.activeMs || (a.task.id < b.task.id ? -1 : 1))
  const { transcriptTtlDays, transcriptsMax, bytesMax } = settings
  const tooOldMs =
    transcriptTtlDays === null ? Number.NEGATIVE_INFINITY : nowMs - transcriptTtlDays * dayMs
  let count = all.length
  let bytes = all.reduce((sum, task) => sum + bytesOf(task), 0)
  const remove: PlannedRemoval[] = []
  for (const { task, activeMs } of candidates) {
    const reason = reasonNow(activeMs)
    if (!reason) break
    remove.push({ id: task.id, kind: 'transcript', reason, bytes: bytesOf(task) })
    count--
    bytes -= bytesOf(task)
  }
  return { remove, kept: count }

  function reasonNow(activeMs: number): RemovalReason | null {
    if (activeMs <= tooOldMs) return 'age'
    if (transcriptsMax !== null && count > transcriptsMax) return 'count'
    return bytesMax !== null && bytes > bytesMax ? 'bytes' : null
  }
}

/** Tasks whose transcript is kept anywhere but in the trash. */
export const keptTranscripts = ({ tasks }: Pick<LedgerState, 'tasks'>): Task[] =>
  [...tasks.values()].filter(
    (task) => task.hasTranscript && !task.trashed && !task.purged && !task.transcriptExpired,
  )

/**
 * Returns the tasks that no sweep touches (X1): live, interrupted, waiting and pinned tasks, those
 * below a pinned or imported one, and all predecessors of these.
 */
export function protectedTasks({ tasks }: Pick<LedgerState, 'tasks'>): Set<TaskId> {
  const safe = continuedTasks(tasks)
  for (const task of tasks.values()) if (isProtected(tasks, task)) safe.add(task.id)
  return safe
}

const isProtected = (tasks: LedgerState['tasks'], task: Task): boolean =>
  isLive(task) || isUnfinished(task) || task.imported || isPinned(tasks, task)

/** All predecessors of protected tasks, however far back. */
function continuedTasks(tasks: LedgerState['tasks']): Set<TaskId> {
  const continued = new Set<TaskId>()
  for (const task of tasks.values()) {
    if (!isProtected(tasks, task)) continue
    // No cycle can be recorded, but a damaged ledger must not hang a start.
    for (let id = task.resumedFrom?.taskId ?? null; id && !continued.has(id); ) {
      continued.add(id)
      id = tasks.get(id)?.resumedFrom?.taskId ?? null
    }
  }
  return continued
}

/**
 * Returns for each task the reason, as a sentence, why the user can't delete its transcript; null
 * if it can be deleted. The predecessors are computed once, so the result is valid only for the
 * present state.
 */
export function keptReasons(state: Pick<LedgerState, 'tasks'>): (id: TaskId) => string | null {
  let continued: Set<TaskId> | undefined
  return (id) => {
    continued ??= continuedTasks(state.tasks)
    return whyKept(state, continued, id)
  }
}

function whyKept(
  state: Pick<LedgerState, 'tasks'>,
  continued: ReadonlySet<TaskId>,
  id: TaskId,
): string | null {
  const task = state.tasks.get(id)
  if (!task || task.purged) return 'It was permanently deleted.'
  if (task.transcriptExpired || task.trashed) return 'It is in the trash already.'
  if (!task.hasTranscript) return 'It has no transcript.'
  if (isPinned(state.tasks, task)) return `"${task.title}" is pinned: unpin it first.`
  if (isUnfinished(task)) return `"${task.title}" is ${task.status}: abandon it first.`
  if (isLive(task)) return `"${task.title}" is still in use: remove it first.`
  // Imported ones can be deleted by the user, only not by a sweep.
  return continued.has(id)
    ? `Another agent continues "${task.title}": its transcript is needed.`
    : null
}

/**
 * Reports whether it runs, or its workspace is in use, being removed or being restored, so that
 * more may be recorded.
 */
const isLive = ({ status, workspace, archived }: Task): boolean =>
  isRunning(status) || (workspace !== null && (!archived || workspace.restoring))

const isUnfinished = ({ status }: Task): boolean =>
  status === 'interrupted' || status === 'queued' || status === 'blocked'

/** Reports whether the task or an ancestor is pinned. */
export function isPinned(tasks: LedgerState['tasks'], task: Task): boolean {
  for (let at: Task | undefined = task; at; at = at.parentId ? tasks.get(at.parentId) : undefined) {
    if (at.pinned) return true
  }
  return false
}

/** Uses only the ledger's times, because a file's times change with a copy or a backup (X1). */
export function lastActivityMs(task: Task): number {
  const { createdAt, startedAt, endedAt, transcriptRestoredAt, runs } = task
  const times = [createdAt, startedAt, endedAt, transcriptRestoredAt]
  for (const run of runs) times.push(run.startedAt, run.endedAt)
  return Math.max(...times.map((time) => (time === null ? 0 : Date.parse(time))))
}
