/** The tasks in the ledger. All changes of their state are made here. */

import { FailureError } from '../../../shared/failure.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { transitionFor } from './lifecycle.ts'

/** An event that moves one task along the lifecycle table. */
export type TaskEvent = Extract<LedgerEvent, { type: `task.${string}`; taskId: TaskId }>

export interface TaskLedger {
  /** Throws FailureError (not-found). */
  get(taskId: TaskId): Task
  children(taskId: TaskId): Task[]
  /**
   * Durable when it resolves (T2). Throws if the lifecycle does not allow the event, which is a
   * bug.
   */
  transition(event: TaskEvent): Promise<void>
  /** Cancels a task that has not begun. Does nothing for any other. */
  cancel(taskId: TaskId, cause: Cause): Promise<void>
}

export function createTaskLedger(ledger: Ledger): TaskLedger {
  const { state } = ledger

  function get(taskId: TaskId): Task {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    return task
  }

  async function transition(event: TaskEvent): Promise<void> {
    const { status, id } = get(event.taskId)
    if (!transitionFor(get(event.taskId), event.type)) {
      throw new Error(`${event.type} can't happen to task ${id}, which is ${status}`)
    }
    await ledger.record(event)
  }

  return {
    get,
    children: (taskId) => [...state.tasks.values()].filter((task) => task.parentId === taskId),
    transition,
    async cancel(taskId, cause) {
      const cancelled: TaskEvent = { type: 'task.cancelled', taskId, cause }
      if (transitionFor(get(taskId), cancelled.type)) await transition(cancelled)
    },
  }
}
