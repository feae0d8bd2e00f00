/**
 * Finds what the project already has of a task's changes because it continues an applied task, or an applied task
 * continues it: merged from its own base, lines that both changed would conflict with themselves.
 */

import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { commonEntry, tasksContinuedBy } from '../../../shared/projections/ledger/lineage.ts'
import type { ResumedFrom, Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'

/**
 * Resolves with the tree of the last state that a root has in common with an applied one; null without an applied root
 * of its lineage, or if the state is not kept.
 */
export type FindAppliedState = (task: Task) => Promise<string | null>

export function createFindAppliedState({
  state,
  records,
}: {
  state: LedgerState
  records: Pick<ArchiveReader, 'sessionState'>
}): FindAppliedState {
  return async (task) => {
    const last = lastCommonEntry(state, task)
    if (last === null) return null
    // A transcript that can't be read costs a better merge, not the apply.
    const known = await records.sessionState(last.taskId, last.seq).catch(() => null)
    return known?.tree?.tree ?? null
  }
}

/** Returns the newest entry that the task's past has in common with that of an applied root of its project. */
function lastCommonEntry(state: LedgerState, task: Task): ResumedFrom | null {
  if (task.parentId !== null) return null
  const past = [task.id, ...tasksContinuedBy(state, task).map(({ taskId }) => taskId)]
  let last: ResumedFrom | null = null
  for (const other of state.tasks.values()) {
    if (other.patch !== 'applied' || other.parentId !== null || other.id === task.id) continue
    if (other.projectId !== task.projectId) continue
    const common = commonEntry(state, task, other)
    if (common !== null && (last === null || isNewer(common, last))) last = common
  }
  return last

  function isNewer(one: ResumedFrom, than: ResumedFrom): boolean {
    const [at, thanAt] = [past.indexOf(one.taskId), past.indexOf(than.taskId)]
    return at === thanAt ? one.seq > than.seq : at < thanAt
  }
}
