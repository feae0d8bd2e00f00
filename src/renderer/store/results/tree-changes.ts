/** Counts of the files that a task and the tasks below it changed, read while a view shows them. Bounded. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { TreeChanges } from '../../../shared/contract/changes/tree-changes.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { setBounded } from '../../../shared/projections/session/bounded-lists.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

/** Each is a few numbers. */
const keptMax = 200

export interface TreeChangeCounts {
  store: StoreApi<ReadonlyMap<TaskId, TreeChanges>>
  /** Counts again, unless `state` of the tree was counted before. If that fails, the previous counts stay. */
  load(taskId: TaskId, state: string): Promise<void>
}

export function createTreeChangeCounts({
  client,
}: {
  client: Pick<ShiplogClient, 'workspace'>
}): TreeChangeCounts {
  const store = createStore<ReadonlyMap<TaskId, TreeChanges>>(() => new Map())
  /** The last counted state of each tree. */
  const counted = new Map<TaskId, string>()

  return {
    store,
    async load(taskId, state) {
      if (counted.get(taskId) === state) return
      setBounded(counted, taskId, state, keptMax)
      try {
        const changes = await client.workspace.treeChanges({ workspaceId: taskId })
        if (counted.get(taskId) !== state) return
        const next = new Map(store.getState())
        setBounded(next, taskId, changes, keptMax)
        store.setState(next, true)
      } catch {
        // The next view of the task asks again.
        if (counted.get(taskId) === state) counted.delete(taskId)
      }
    },
  }
}
