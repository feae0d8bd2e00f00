/** The present activity of each running agent in one line, for lists. Not recorded. */

import type { TaskId } from '../../../shared/records/ids.ts'
import { type Activity, activityText } from '../../../shared/records/tasks/activity.ts'
import { type Board, createBoard } from './board.ts'

export interface ActivityBoard extends Board<Activity> {
  /** Marks the agent's activity as wrapping up until its run ends. */
  wrapUp(taskId: TaskId): void
}

export function createActivityBoard(): ActivityBoard {
  const board = createBoard(isSame)
  const wrappingUp = new Set<TaskId>()
  const set = (taskId: TaskId, activity: Activity): void =>
    board.set(
      taskId,
      wrappingUp.has(taskId) && activity.state !== 'paused'
        ? { ...activity, wrapsUp: true }
        : activity,
    )
  return {
    ...board,
    set,
    clear(taskId) {
      wrappingUp.delete(taskId)
      board.clear(taskId)
    },
    wrapUp(taskId) {
      wrappingUp.add(taskId)
      const present = board.get(taskId)
      if (present) set(taskId, present)
    },
  }
}

const isSame = (a: Activity | null, b: Activity | null): boolean =>
  a?.state === b?.state &&
  (a === null || b === null || activityText(a) === activityText(b)) &&
  (a?.state !== 'working' ||
    b?.state !== 'working' ||
    (a.silentSince === b.silentSince && a.starts === b.starts && a.retriesAt === b.retriesAt))
