/** Finds the interrupted agents that worked in parallel. Pure. */

import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { parallelGroupOf } from '../../../shared/projections/transcript/parallel-group.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { isResumable } from './resumable.ts'

/** Includes the task itself; empty unless there are at least two. */
export function resumableGroup(ledger: LedgerState, id: TaskId): Task[] {
  const task = ledger.tasks.get(id)
  if (!task || !isResumable(ledger.tasks, task)) return []
  // The cheap conditions first, because finding a group compares siblings.
  const others = [...ledger.tasks.values()].filter(
    (other) => other.rootId === task.rootId && isResumable(ledger.tasks, other),
  )
  const group = others.length > 1 ? parallelGroupOf(ledger, task) : null
  if (group === null) return []
  const members = others.filter((other) => parallelGroupOf(ledger, other) === group)
  return members.length > 1 ? members : []
}
