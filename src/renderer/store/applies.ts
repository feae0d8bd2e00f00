/** Applying a patch, as the person asked for it: under way, or how it came out. One at a time for each task. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import type { TaskId } from '../../shared/ids.ts'
import type { ApplyOutcome } from '../../shared/tools.ts'
import { type Problem, problemOf } from '../rpc/problem.ts'

type ApplyView = { kind: 'applying' } | ApplyOutcome | { kind: 'failed'; problem: Problem }

export interface Applies {
  store: StoreApi<ReadonlyMap<TaskId, ApplyView>>
  /** Never rejects: how it came out is in the store, and given back. */
  apply(taskId: TaskId): Promise<ApplyView>
  /** Takes an outcome that was read away. */
  forget(taskId: TaskId): void
}

export function createApplies({ client }: { client: Pick<ShiplogClient, 'tasks'> }): Applies {
  const store = createStore<ReadonlyMap<TaskId, ApplyView>>(() => new Map())
  const set = (taskId: TaskId, view: ApplyView): ApplyView => {
    store.setState(new Map(store.getState()).set(taskId, view), true)
    return view
  }
  return {
    store,
    async apply(taskId) {
      const known = store.getState().get(taskId)
      if (known?.kind === 'applying') return known
      set(taskId, { kind: 'applying' })
      try {
        return set(taskId, await client.tasks.applyPatch({ taskId }))
      } catch (error) {
        return set(taskId, { kind: 'failed', problem: problemOf(error, 'apply the changes') })
      }
    },
    forget(taskId) {
      const next = new Map(store.getState())
      next.delete(taskId)
      store.setState(next, true)
    },
  }
}
