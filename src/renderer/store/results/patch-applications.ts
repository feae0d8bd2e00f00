/**
 * Applies or undoes patches at the user's request, and keeps their progress and outcome. One at a
 * time per task.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ApplyOutcome, UndoOutcome } from '../../../shared/agents/tools.ts'
import type { ChangeSelection } from '../../../shared/contract/changes/changes.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

type Busy = { kind: 'applying' } | { kind: 'undoing' }
type Failed = { kind: 'failed'; problem: Problem }
type ChangedSince = Extract<UndoOutcome, { kind: 'changed-since' }>
type ApplyView = Busy | ApplyOutcome | ChangedSince | Failed

export interface PatchApplications {
  store: StoreApi<ReadonlyMap<TaskId, ApplyView>>
  /** Never rejects: the outcome is stored and returned. */
  apply(taskId: TaskId, selection?: ChangeSelection): Promise<Busy | ApplyOutcome | Failed>
  /** Undoes the task's newest apply, likewise; the store is cleared once it is undone. */
  undo(taskId: TaskId): Promise<Busy | UndoOutcome | Failed>
  /** Removes an outcome that was read. */
  forget(taskId: TaskId): void
}

export function createPatchApplications({
  client,
}: {
  client: Pick<ShiplogClient, 'tasks'>
}): PatchApplications {
  const store = createStore<ReadonlyMap<TaskId, ApplyView>>(() => new Map())
  const set = <View extends ApplyView>(taskId: TaskId, view: View): View => {
    store.setState(new Map(store.getState()).set(taskId, view), true)
    return view
  }
  const forget = (taskId: TaskId): void => {
    const next = new Map(store.getState())
    next.delete(taskId)
    store.setState(next, true)
  }
  return {
    store,
    async apply(taskId, selection) {
      const known = store.getState().get(taskId)
      if (isBusy(known)) return known
      set(taskId, { kind: 'applying' })
      try {
        return set(taskId, await client.tasks.applyPatch({ taskId, selection }))
      } catch (error) {
        return set(taskId, { kind: 'failed', problem: problemOf(error, 'apply the changes') })
      }
    },
    async undo(taskId) {
      const known = store.getState().get(taskId)
      if (isBusy(known)) return known
      set(taskId, { kind: 'undoing' })
      try {
        const outcome = await client.tasks.undoApply({ taskId })
        if (outcome.kind === 'changed-since') return set(taskId, outcome)
        forget(taskId)
        return outcome
      } catch (error) {
        return set(taskId, { kind: 'failed', problem: problemOf(error, 'undo the apply') })
      }
    },
    forget,
  }
}

const isBusy = (view: ApplyView | undefined): view is Busy =>
  view?.kind === 'applying' || view?.kind === 'undoing'
