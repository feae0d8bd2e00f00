/**
 * Shows what a running agent waits for, until it continues. Several of its calls may wait
 * concurrently.
 */

import type { TaskId } from '../../../shared/records/ids.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import type { ActivityBoard } from './activity.ts'

/**
 * Shows `doing` while `wait` is pending. `wait` calls `over` when what it waited for has happened: from then on it only
 * waits for a slot. Nothing is shown for a run that has ended.
 */
type ShowWait = <T>(
  wait: { taskId: TaskId; doing: Activity; isRunning: () => boolean },
  run: (over: () => void) => Promise<T>,
) => Promise<T>

/** `onContinue` is called when an agent has stopped waiting. */
export function createShowWait(
  activity: Pick<ActivityBoard, 'set'>,
  onContinue: (taskId: TaskId) => void,
): ShowWait {
  const waits = new Map<TaskId, Activity[]>()

  return async ({ taskId, doing, isRunning }, run) => {
    const own = { ...doing }
    waits.set(taskId, [...(waits.get(taskId) ?? []), own])
    activity.set(taskId, own)
    const show = (next: Activity): void => {
      const others = (waits.get(taskId) ?? []).filter((one) => one !== own)
      if (others.length > 0) waits.set(taskId, others)
      else waits.delete(taskId)
      if (isRunning()) activity.set(taskId, others.at(-1) ?? next)
    }
    try {
      return await run(() => show({ state: 'waiting' }))
    } finally {
      show({ state: 'working', text: 'Thinking' })
      if (isRunning()) onContinue(taskId)
    }
  }
}
