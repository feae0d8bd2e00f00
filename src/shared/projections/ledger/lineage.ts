import type { TaskId } from '../../records/ids.ts'
import type { ResumedFrom, Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from './ledger-state.ts'

/** Returns the tasks that this one continues, newest first, without itself. Pure. */
export function tasksContinuedBy({ tasks }: Pick<LedgerState, 'tasks'>, task: Task): ResumedFrom[] {
  const lineage: ResumedFrom[] = []
  const known = new Set<TaskId>()
  let from = task.resumedFrom
  // A manipulated ledger may contain a cycle.
  while (from !== null && !known.has(from.taskId)) {
    known.add(from.taskId)
    lineage.push(from)
    from = tasks.get(from.taskId)?.resumedFrom ?? null
  }
  return lineage
}

/**
 * Returns the last entry that the transcripts of two tasks have in common, where one continues the other, or both
 * continue a third. Null if they have none. Pure.
 */
export function commonEntry(
  state: Pick<LedgerState, 'tasks'>,
  one: Task,
  other: Task,
): ResumedFrom | null {
  const whole = ({ id }: Task): ResumedFrom => ({ taskId: id, seq: Number.MAX_SAFE_INTEGER })
  const others = new Map(
    [whole(other), ...tasksContinuedBy(state, other)].map(({ taskId, seq }) => [taskId, seq]),
  )
  for (const { taskId, seq } of [whole(one), ...tasksContinuedBy(state, one)]) {
    const seqInOther = others.get(taskId)
    if (seqInOther !== undefined) return { taskId, seq: Math.min(seq, seqInOther) }
  }
  return null
}
