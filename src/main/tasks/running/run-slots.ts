/**
 * The slots of running agents: a tree has a limited number, and an agent that waits for others
 * releases its own (T5).
 */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { acquireBoth, createSemaphore, type Semaphore, type Slot } from '../../runs/semaphore.ts'
import type { createShowWait } from '../activity/waits.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { RunRequest } from './run-request.ts'

/** For a run that its parent's process executes. */
const noSlot: Slot = { yieldWhile: (work) => work(), release: () => undefined }

export function createRunSlots({
  taskLedger,
  showWait,
}: {
  taskLedger: TaskLedger
  showWait: ReturnType<typeof createShowWait>
}) {
  const byRoot = new Map<TaskId, Semaphore>()
  const held = new Map<TaskId, Slot>()
  const attached = new Set<TaskId>()

  async function acquire(taskId: TaskId, request: RunRequest, signal: AbortSignal): Promise<Slot> {
    if (request.attached) return noSlot
    const { together, onWaiting } = request
    const ofTree = slotsOf(taskId)
    if (!ofTree.hasFree() || together?.hasFree() === false) onWaiting?.()
    return together ? acquireBoth(together, ofTree, signal) : ofTree.acquire(signal)
  }

  function slotsOf(taskId: TaskId): Semaphore {
    const { rootId, options } = taskLedger.get(taskId)
    const slots = byRoot.get(rootId) ?? createSemaphore(options.agentsAtOnce)
    byRoot.set(rootId, slots)
    return slots
  }

  return {
    acquire,
    /** Holds the slot while the run does its work, and releases it then. */
    async hold(
      taskId: TaskId,
      slot: Slot,
      request: RunRequest,
      work: () => Promise<void>,
    ): Promise<void> {
      held.set(taskId, slot)
      if (request.attached) attached.add(taskId)
      try {
        await work()
      } finally {
        held.delete(taskId)
        attached.delete(taskId)
        slot.release()
      }
    },
    /** Releases the agent's slot while `work` is pending, and shows `doing`. */
    yieldWhile<T>(taskId: TaskId, doing: Activity, work: () => Promise<T>): Promise<T> {
      const slot = held.get(taskId)
      const isRunning = () => slot !== undefined && held.get(taskId) === slot
      return showWait({ taskId, doing, isRunning }, (over) =>
        slot ? slot.yieldWhile(() => work().finally(over)) : work(),
      )
    },
    /** Reports whether the agent runs in its parent's process. */
    isAttached: (taskId: TaskId): boolean => attached.has(taskId),
  }
}
export type RunSlots = ReturnType<typeof createRunSlots>
