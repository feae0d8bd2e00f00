/**
 * The lifecycle of a task, as a table of state transitions (T). Events without a row are rejected.
 * `projections/ledger/fold-ledger.ts` folds the same events; a test compares the two.
 */
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import type { TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

interface Transition {
  from: readonly TaskStatus[]
  event: LedgerEvent['type']
  to: TaskStatus
  /** `root`: only for roots, which continue with a follow-up after a run has ended (T7). */
  only?: 'root'
}

export const lifecycle: readonly Transition[] = [
  { from: ['queued'], event: 'task.spawned', to: 'spawned' },
  { from: ['queued'], event: 'task.blocked', to: 'blocked' },
  { from: ['blocked'], event: 'task.requeued', to: 'queued' },
  { from: ['queued', 'blocked'], event: 'task.cancelled', to: 'cancelled' },
  { from: ['spawned', 'resumed'], event: 'task.completed', to: 'completed' },
  { from: ['spawned', 'resumed'], event: 'task.interrupted', to: 'interrupted' },
  { from: ['spawned', 'resumed'], event: 'task.failed', to: 'failed' },
  { from: ['interrupted'], event: 'task.resumed', to: 'resumed' },
  { from: ['interrupted'], event: 'task.abandoned', to: 'abandoned' },
  { from: ['failed'], event: 'task.requeued', to: 'queued' },
  {
    from: ['completed', 'interrupted', 'failed'],
    event: 'task.spawned',
    to: 'spawned',
    only: 'root',
  },
]

/** Returns the row for `event` in the task's present state, or null if the event is not allowed. */
export function transitionFor(
  task: Pick<Task, 'status' | 'parentId'>,
  event: LedgerEvent['type'],
): Transition | null {
  const isRoot = task.parentId === null
  return (
    lifecycle.find(
      (row) =>
        row.event === event && row.from.includes(task.status) && (row.only !== 'root' || isRoot),
    ) ?? null
  )
}
