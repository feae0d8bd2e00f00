/** The waits of agents before their next request to a model. A user may end one early. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ActivityBoard } from './activity.ts'

export interface RetryWaits {
  /** Resolves after `delayMs`, or when the wait is ended. Rejects with the signal's reason. */
  wait(taskId: TaskId, delayMs: number, signal: AbortSignal): Promise<void>
  /** Ends the waits of these tasks, and returns those that waited. */
  end(taskIds: readonly TaskId[]): TaskId[]
}

export function createRetryWaits({
  activity,
  clock,
  onContinue,
}: {
  activity: Pick<ActivityBoard, 'set'>
  clock: () => number
  /** Called when an agent has stopped waiting. */
  onContinue: (taskId: TaskId) => void
}): RetryWaits {
  const waits = new Map<TaskId, AbortController>()

  return {
    async wait(taskId, delayMs, signal) {
      const ended = new AbortController()
      waits.set(taskId, ended)
      activity.set(taskId, {
        state: 'working',
        text: 'Waiting to try again',
        retriesAt: clock() + delayMs,
      })
      try {
        const until = AbortSignal.any([signal, ended.signal])
        await sleep(delayMs, undefined, { signal: until }).catch(() => signal.throwIfAborted())
      } finally {
        waits.delete(taskId)
      }
      activity.set(taskId, { state: 'working', text: 'Thinking' })
      onContinue(taskId)
    },
    end(taskIds) {
      const waiting = taskIds.filter((taskId) => waits.has(taskId))
      for (const taskId of waiting) waits.get(taskId)?.abort()
      return waiting
    },
  }
}
