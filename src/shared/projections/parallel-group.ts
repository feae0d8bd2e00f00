/**
 * The parallel group of a task: the name that `task` was given, else one made from when it was started.
 * Pure; the same task has the same group whenever it is asked.
 */
import type { TaskId } from '../ids.ts'
import type { Task } from '../tasks.ts'
import type { LedgerState } from './ledger-state.ts'

/** Null for one that worked alone. */
export function parallelGroupOf(state: LedgerState, task: Task): string | null {
  if (task.plan.parallelGroup) return task.plan.parallelGroup
  if (task.parentId === null) return null
  const batch = batchOf(siblingsOf(state, task), task.id)
  const [first] = batch
  return first && batch.length > 1 ? nameOf(first) : null
}

/** Those that nobody gave a name, of the same phase and plan, in the order in which they were started. */
function siblingsOf(state: LedgerState, task: Task): Task[] {
  const { phase, plan } = task.plan
  return [...state.tasks.values()].filter(
    (other) =>
      other.parentId === task.parentId &&
      !other.plan.parallelGroup &&
      other.plan.phase === phase &&
      other.plan.plan === plan,
  )
}

/** A task belongs to the batch before it when one of that had not ended its first run yet. */
function batchOf(siblings: Task[], taskId: TaskId): Task[] {
  let batch: Task[] = []
  for (const task of siblings) {
    const together = batch.some((earlier) => {
      const end = earlier.runs[0] ? earlier.runs[0].endedAt : earlier.endedAt
      return end === null || end > task.createdAt
    })
    if (!together) {
      if (batch.some(({ id }) => id === taskId)) return batch
      batch = []
    }
    batch.push(task)
  }
  return batch
}

/** The forms that planning tools know; without a phase there is none to name. */
function nameOf({ createdAt, plan }: Task): string {
  const seconds = Math.floor(Date.parse(createdAt) / 1000)
  if (plan.granularity === 'task_group' && plan.phase && plan.plan)
    return `plan-${plan.phase}-${plan.plan}-tasks-batch-${seconds}`
  return plan.phase ? `phase-${plan.phase}-batch-${seconds}` : `batch-${seconds}`
}
