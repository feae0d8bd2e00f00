/** What a person can do with a task that is not at work. Pure. */
import type { TaskId } from '../../../shared/records/ids.ts'
import { isBeingRemoved, isSettled, type Task } from '../../../shared/records/tasks.ts'

/** Over, with a history to go on from: it never runs again, but a new task can begin where it ended (T4). */
export const canBeContinued = (task: Task): boolean =>
  isSettled(task.status) &&
  task.status !== 'interrupted' &&
  task.hasTranscript &&
  task.transcriptExpired === null &&
  !task.trashed

/** Failed by its own word, and its workspace is there: the same task runs again. */
export const canBeRetried = (task: Task): boolean =>
  task.status === 'failed' && !task.archived && !task.trashed && !task.workspace?.removal

/** Interrupted, and its directory is there or, of a root, in the archive and comes back. */
export const canBeResumed = (task: Task): boolean =>
  task.status === 'interrupted' &&
  !task.trashed &&
  (task.archived ? task.parentId === null : !task.workspace?.removal)

/** Whether others below it stopped as well, so that what is to be done with them is asked first. */
export function hasStoppedBelow(
  task: Task,
  rootIsOver: boolean,
  childrenOf: (id: TaskId) => Task[],
): boolean {
  return childrenOf(task.id).some(
    (child) =>
      (!(child.archived || child.trashed || isBeingRemoved(child)) &&
        (child.status === 'interrupted' || (child.status === 'queued' && rootIsOver))) ||
      hasStoppedBelow(child, rootIsOver, childrenOf),
  )
}
