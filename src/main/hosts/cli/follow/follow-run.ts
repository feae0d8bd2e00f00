/** Follows a started root agent and its descendants to their end. */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { isSettled } from '../../../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import { type Followed, followTrees, type RunWatcher, treeOf } from './follow-trees.ts'

export interface EndedRun {
  task: TaskTree
  /** Finished sub-agents whose clean-up was postponed; the next start retries it (R5). */
  notCleanedUp: Task[]
}

export async function followRun(
  client: ShiplogClient,
  rootId: TaskId,
  watcher: RunWatcher,
  signals: { ending: AbortSignal; closed: AbortSignal },
): Promise<EndedRun> {
  const isOver = (state: LedgerState) => {
    const root = state.tasks.get(rootId)
    return root !== undefined && isSettled(root.status)
  }
  const following = { rootIds: new Set([rootId]), isOver, ...signals }
  return endOf(await followTrees(client, watcher, following), rootId)
}

/** Returns the end of one of the followed tasks. */
export function endOf({ state, notCleanedUp }: Followed, taskId: TaskId): EndedRun {
  const task = state.tasks.get(taskId)
  if (!task) throw new Error(`the agent ${taskId} is not in the record`)
  return { task: treeOf(state, task), notCleanedUp }
}
