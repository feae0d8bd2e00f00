/** Removes a workspace with all below it: stops its runs, then removes the deepest first (R1). */
import { FailureError, refused } from '../../shared/failure.ts'
import {
  ancestorsOf,
  descendantsOf,
  type LedgerState,
} from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { WorkspaceLocks } from './locks.ts'
import type { RunStopper } from './ports.ts'
import type { createRemoval, RemovalOptions } from './removal.ts'

/** Enough to share syncs; with a Git process for each, few enough not to overload the machine. */
const removalsAtOnce = { 'in-place': 64, worktree: 8 } as const

interface TreeRemoval {
  /** Resolves with the removed workspaces. Throws the first failure, after all others were removed. */
  remove(taskId: TaskId, options?: RemovalOptions): Promise<TaskId[]>
  /**
   * Completes the removals that an earlier process began. After an abort no further one begins; the next start
   * completes the rest. Resolves with the failures.
   */
  finish(signal: AbortSignal): Promise<Map<TaskId, unknown>>
  /** Returns the workspaces with an unfinished removal. */
  unfinished(): TaskId[]
}

export function createTreeRemoval({
  state,
  removal,
  stopper,
  locks,
}: {
  state: LedgerState
  removal: ReturnType<typeof createRemoval>
  stopper: RunStopper
  locks: WorkspaceLocks
}): TreeRemoval {
  async function remove(taskId: TaskId, options: RemovalOptions = {}): Promise<TaskId[]> {
    if (!state.tasks.has(taskId))
      throw new FailureError({ kind: 'not-found', what: 'workspace', id: taskId })
    refuseWhileRestoring(taskId)
    await removal.begin(treeOf(taskId))
    await stopTree(taskId)
    const tree = treeOf(taskId)
    // Includes the workspaces that were created before their parents stopped.
    await removal.begin(tree)
    const failures = await removeAll(tree, options)
    for (const error of failures.values()) throw error
    return tree
  }

  /** A workspace below it that is being restored would lose its parent. */
  function refuseWhileRestoring(taskId: TaskId): void {
    const tree = [state.tasks.get(taskId), ...descendantsOf(state, taskId)]
    const busy = tree.find((task) => task?.workspace?.restoring)
    if (busy) refused('in-use', `"${busy.title}" is being restored. Try again once that is done.`)
  }

  /** Returns the workspace and all below it, deepest first, that can be removed. */
  function treeOf(taskId: TaskId): TaskId[] {
    const tasks = [...descendantsOf(state, taskId), state.tasks.get(taskId)]
    return tasks.flatMap((task) => (task?.workspace && !task.archived ? [task.id] : []))
  }

  /**
   * Children must precede their parents, which wait for a failed child; all others continue.
   * Resolves with the failures.
   */
  async function removeAll(
    taskIds: TaskId[],
    options: RemovalOptions = {},
    signal?: AbortSignal,
  ): Promise<Map<TaskId, unknown>> {
    const failures = new Map<TaskId, unknown>()
    const waiting = new Set<TaskId>()
    const removeOne = async (taskId: TaskId): Promise<void> => {
      if (waiting.has(taskId) || signal?.aborted) return
      try {
        await locks.workspace(taskId, () =>
          holdingFolder(taskId, () => removal.remove(taskId, options)),
        )
      } catch (error) {
        failures.set(taskId, error)
        const { title, workspace } = state.tasks.get(taskId) ?? {}
        for (const above of ancestorsOf(state, taskId)) {
          waiting.add(above)
          const why = `"${title}", below it, could not be removed (${workspace?.pending?.error ?? error})`
          // This notice is only a hint: the caller receives the failure itself.
          await locks
            .workspace(above, () => removal.hold(above, taskId, why))
            .catch(() => undefined)
        }
      }
    }
    // Those of one depth are independent, and share syncs of the ledger.
    const byDepth = Map.groupBy(taskIds, (id) => state.tasks.get(id)?.depth ?? 0)
    for (const depth of [...byDepth.keys()].sort((a, b) => b - a)) {
      const left = byDepth.get(depth) ?? []
      const hasWorktree = left.some((id) => state.tasks.get(id)?.isolation === 'worktree')
      const atOnce = removalsAtOnce[hasWorktree ? 'worktree' : 'in-place']
      const workers = Array.from({ length: atOnce }, async () => {
        for (let next = left.shift(); next; next = left.shift()) await removeOne(next)
      })
      await Promise.all(workers)
    }
    return failures
  }

  /** Holds the worktree's folder lock, so that no apply writes to it while it is saved and removed. */
  function holdingFolder<T>(taskId: TaskId, work: () => Promise<T>): Promise<T> {
    const workspace = state.tasks.get(taskId)?.workspace
    if (workspace?.isolation !== 'worktree') return work()
    return locks.folder(workspace.path, work)
  }

  /**
   * Repeated until there is no new child, because a parent may have been spawning while it was
   * stopped.
   */
  async function stopTree(taskId: TaskId): Promise<void> {
    const stopped = new Set<TaskId>()
    for (;;) {
      const tree = [taskId, ...descendantsOf(state, taskId).map((task) => task.id)]
      const running = tree.filter((id) => !stopped.has(id))
      if (running.length === 0) return
      for (const id of running) stopped.add(id)
      await Promise.all(running.map((id) => stopper.stopForRemoval(id)))
    }
  }

  const { unfinished } = removal
  return { remove, unfinished, finish: (signal) => removeAll(unfinished(), {}, signal) }
}
