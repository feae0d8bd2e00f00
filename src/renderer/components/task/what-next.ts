/** The possible actions on a task that is not running. Pure. */
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

/**
 * Reports whether it has ended with a history: it never runs again, but a new task can continue it
 * (T4).
 */
export const canBeContinued = (task: Task): boolean =>
  isSettled(task.status) && task.status !== 'interrupted' && hasHistory(task)

/** Reports whether it has a history that an agent can continue from: another one, if it was interrupted. */
export const canBeContinuedWith = (task: Task): boolean =>
  isSettled(task.status) && hasHistory(task)

/** Where the count is known: the root of sub-agents whose session was deleted has no messages. */
const hasHistory = (task: Task): boolean =>
  task.transcriptCounts?.messages !== 0 &&
  task.hasTranscript &&
  task.transcriptExpired === null &&
  !task.trashed

/**
 * Reports whether it failed by its own report and its workspace exists: the same task can run
 * again.
 */
export const canBeRetried = (task: Task): boolean =>
  task.status === 'failed' && !task.archived && !task.trashed && !task.workspace?.removal

/**
 * Reports whether it was interrupted, and its directory exists or, for a root, can be restored from
 * the archive.
 */
export const canBeResumed = (task: Task): boolean =>
  task.status === 'interrupted' &&
  !task.trashed &&
  (task.archived ? task.parentId === null : !task.workspace?.removal)
