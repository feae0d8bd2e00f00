/**
 * Finds what the project already has of a task's changes because it continues an applied task, or an applied task
 * continues it: merged from its own base, lines that both changed would conflict with themselves.
 */

import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { commonEntry, tasksContinuedBy } from '../../../shared/projections/ledger/lineage.ts'
import type { ResumedFrom, Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import type { AppliedState } from '../../git/index.ts'

/**
 * Resolves with the states that a root has in common with applied roots of its lineage, newest first. Omits those that
 * are not kept.
 */
export type FindAppliedStates = (task: Task) => Promise<AppliedState[]>

export function createFindAppliedStates({
  state,
  records,
}: {
  state: LedgerState
  records: Pick<ArchiveReader, 'sessionState'>
}): FindAppliedStates {
  async function treeAt({ taskId, seq }: Partial<ResumedFrom> & Pick<ResumedFrom, 'taskId'>) {
    // A transcript that can't be read costs a better merge, not the apply.
    const known = await records.sessionState(taskId, seq).catch(() => null)
    return known?.tree?.tree ?? null
  }

  return async (task) => {
    const states: AppliedState[] = []
    for (const { common, appliedId } of commonEntries(state, task)) {
      const shared = await treeAt(common)
      const applied = await treeAt({ taskId: appliedId })
      if (shared !== null && applied !== null) states.push({ shared, applied })
    }
    return states
  }
}

/** Returns the last entries that the task's past has in common with those of applied roots of its project, newest first. */
function commonEntries(
  state: LedgerState,
  task: Task,
): { common: ResumedFrom; appliedId: Task['id'] }[] {
  if (task.parentId !== null) return []
  const past = [task.id, ...tasksContinuedBy(state, task).map(({ taskId }) => taskId)]
  const found = [...state.tasks.values()].flatMap((other) => {
    if (other.patch !== 'applied' || other.parentId !== null || other.id === task.id) return []
    if (other.projectId !== task.projectId) return []
    const common = commonEntry(state, task, other)
    return common ? [{ common, appliedId: other.id }] : []
  })
  return found.sort(
    ({ common: a }, { common: b }) =>
      past.indexOf(a.taskId) - past.indexOf(b.taskId) || b.seq - a.seq,
  )
}
