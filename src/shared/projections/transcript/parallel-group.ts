/**
 * The parallel group of a task: the name that the `task` call gave, else one derived from its start time. Pure; the result
 * for a task never changes.
 */
import type { TaskId } from '../../records/ids.ts'
import { planReferenceOf } from '../../records/plan-reference.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'

/** Returns null for a task that worked alone. */
export function parallelGroupOf(state: LedgerState, task: Task): string | null {
  if (task.plan.parallelGroup) return task.plan.parallelGroup
  if (task.parentId === null) return null
  const batch = batchOf(siblingsOf(state, task), task.id)
  const [first] = batch
  return first && batch.length > 1 ? nameOf(first) : null
}

/** Returns the siblings without a group name that may share a batch with it, in the order of their start. */
function siblingsOf(state: LedgerState, task: Task): Task[] {
  const scope = scopeOf(task)
  return [...state.tasks.values()].filter(
    (other) =>
      other.parentId === task.parentId && !other.plan.parallelGroup && scopeOf(other) === scope,
  )
}

/** Returns the beginning of the group's name: the plans of a phase run in parallel, or the segments of a plan. */
function scopeOf({ plan }: Task): string {
  const reference = planReferenceOf(plan)
  if (reference && plan.granularity === 'task_group') return `plan-${reference}-tasks-`
  return plan.phase ? `phase-${plan.phase}-` : ''
}

/**
 * Returns the batch of a task. A task belongs to the batch before it if the first run of a task in that batch had not
 * ended. A task that waits for another one of the batch has not started its first run, so it belongs to it as well.
 */
function batchOf(siblings: Task[], taskId: TaskId): Task[] {
  let batch: Task[] = []
  /** When the first runs of all tasks in the batch had ended. */
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
  // A killed process records no end, so its runs count as long as the process, which started the others.
  return run ? (run.endedAtLatest ?? run.endedAt) : endedAt
}

/** The name in the form of planning tools; without a phase the prefix is empty. */
const nameOf = (first: Task): string =>
  `${scopeOf(first)}batch-${Math.floor(Date.parse(first.createdAt) / 1000)}`
