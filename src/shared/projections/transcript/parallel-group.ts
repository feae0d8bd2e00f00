/**
 * The parallel group of a task: the name that `task` was given, else one made from when it was started.
 * Pure; the same task has the same group whenever it is asked.
 */
import type { TaskId } from '../../records/ids.ts'
import { planReferenceOf } from '../../records/plan-reference.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'

/** Null for one that worked alone. */
export function parallelGroupOf(state: LedgerState, task: Task): string | null {
  if (task.plan.parallelGroup) return task.plan.parallelGroup
  if (task.parentId === null) return null
  const batch = batchOf(siblingsOf(state, task), task.id)
  const [first] = batch
  return first && batch.length > 1 ? nameOf(first) : null
}

/** Those without a group's name that may share a batch with it, in the order in which they were started. */
function siblingsOf(state: LedgerState, task: Task): Task[] {
  const scope = scopeOf(task)
  return [...state.tasks.values()].filter(
    (other) =>
      other.parentId === task.parentId && !other.plan.parallelGroup && scopeOf(other) === scope,
  )
}

/** The beginning of the group's name: the plans of a phase work side by side, or the segments of a plan. */
function scopeOf({ plan }: Task): string {
  const reference = planReferenceOf(plan)
  if (reference && plan.granularity === 'task_group') return `plan-${reference}-tasks-`
  return plan.phase ? `phase-${plan.phase}-` : ''
}

/**
 * A task belongs to the batch before it when one of that had not ended its first run yet. One that waits for
 * another of the batch has not begun its own, and belongs to it as well.
 */
function batchOf(siblings: Task[], taskId: TaskId): Task[] {
  let batch: Task[] = []
  /** When the first runs of all in the batch had ended. */
  let end = ''
  for (const task of siblings) {
    if (end <= task.createdAt) {
      if (batch.some(({ id }) => id === taskId)) return batch
      batch = []
      end = ''
    }
    batch.push(task)
    const ofTask = firstEndOf(task) ?? never
    if (ofTask > end) end = ofTask
  }
  return batch
}

/** After any time. */
const never = '~'

function firstEndOf({ runs: [run], endedAt }: Task): string | null {
  // A killed process records nothing: a run of it lasted as long as the process, which started the others.
  return run ? (run.endedAtLatest ?? run.endedAt) : endedAt
}

/** The forms that planning tools know; without a phase there is none to name. */
const nameOf = (first: Task): string =>
  `${scopeOf(first)}batch-${Math.floor(Date.parse(first.createdAt) / 1000)}`
