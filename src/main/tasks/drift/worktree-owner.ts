import { ancestorsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

export type Placed = Task & { workspace: Workspace }

/** Returns the task that owns the worktree: itself or an ancestor that shares it; null for the project's folder. */
export function ownerOf(state: LedgerState, task: Task): Placed | null {
  const line = [task, ...ancestorsOf(state, task.id).map((id) => state.tasks.get(id))]
  for (const one of line) {
    const { workspace } = one ?? {}
    if (!one || !workspace || workspace.path !== task.workspace?.path) return null
    if (workspace.isolation === 'worktree') return { ...one, workspace }
  }
  return null
}
