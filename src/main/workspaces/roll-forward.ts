/** Completes the removals and restores that an earlier process began. */
import { ancestorsOf, type LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { createRestoreArchived } from './archived/restore.ts'
import type { LeftoverStore } from './leftovers/leftovers.ts'
import type { createTreeRemoval } from './tree-removal.ts'

/** Called once for the removals and once for the restores that were completed, if there are any. */
export type OnRolledForward = (what: 'removal' | 'restore', titles: string[]) => void

export function createRollForward(deps: {
  state: LedgerState
  removal: ReturnType<typeof createTreeRemoval>
  restoring: ReturnType<typeof createRestoreArchived>
  leftovers: Pick<LeftoverStore, 'sortAll'>
  inTree: <T>(taskId: TaskId, work: () => Promise<T>) => Promise<T>
  onRolledForward: OnRolledForward
  onProblem: (text: string, error: unknown) => void
}): (signal: AbortSignal) => Promise<void> {
  const { state, removal, restoring } = deps

  async function finishRestore(taskId: TaskId): Promise<void> {
    const { title, workspace } = state.tasks.get(taskId) ?? {}
    // It may have been restored with its parent, or by the user.
    if (!workspace?.restoring) return
    const report = (name: string | undefined, error: unknown) =>
      deps.onProblem(`"${name}" could not be restored`, error)
    try {
      const { left } = await restoring.restore(taskId)
      for (const one of left) report(one.title, new Error(one.why))
    } catch (error) {
      report(title, error)
    }
  }

  /** Names those of `taskIds` that are completed, but none below another one. */
  function reportCompleted(
    what: 'removal' | 'restore',
    taskIds: TaskId[],
    isCompleted: (workspace: Workspace) => boolean,
  ): void {
    const completed = taskIds.flatMap((id) => {
      const task = state.tasks.get(id)
      return task?.workspace && isCompleted(task.workspace) ? [task] : []
    })
    const ids = new Set(completed.map(({ id }) => id))
    const topmost = completed.filter(
      ({ id }) => !ancestorsOf(state, id).some((one) => ids.has(one)),
    )
    const titles = topmost.map(({ title }) => title)
    if (titles.length > 0) deps.onRolledForward(what, titles)
  }

  return async (signal) => {
    const removals = removal.unfinished()
    for (const [taskId, error] of await removal.finish(signal)) {
      deps.onProblem(
        `The removal of "${state.tasks.get(taskId)?.title}" could not be completed; the next start tries again`,
        error,
      )
    }
    reportCompleted('removal', removals, (workspace) => workspace.removal === 'removed')
    const restores = restoring.unfinished()
    for (const taskId of restores)
      if (!signal.aborted) await deps.inTree(taskId, () => finishRestore(taskId))
    // A failed restore leaves the workspace removed.
    reportCompleted('restore', restores, (workspace) => workspace.removal === null)
    await deps.leftovers.sortAll().catch((error) => {
      deps.onProblem('The worktrees in the trash could not be sorted', error)
    })
  }
}
