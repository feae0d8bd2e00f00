/** Tracks which roots the user has viewed since their last run ended. Pure. */
import { isStoppedByPerson } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Preferences } from '../window/preferences.ts'

type Seen = Pick<Preferences, 'seen' | 'seenSince'>

/** Reports whether a root's last run ended by itself and was not viewed since. */
export function isUnread(task: Task, { seen, seenSince }: Seen): boolean {
  if (task.parentId !== null || task.endedAt === null || seenSince === null) return false
  if (!isSettled(task.status) || isStoppedByPerson(task.cause)) return false
  if (task.status === 'abandoned' || task.status === 'cancelled') return false
  return task.endedAt > (seen[task.id] ?? seenSince)
}

/** Marks the root's last run as viewed; returns the same object if it was already. */
export function withSeen(before: Seen['seen'], task: Task): Seen['seen'] {
  if (task.parentId !== null || task.endedAt === null || !isSettled(task.status)) return before
  if (before[task.id] === task.endedAt) return before
  const { [task.id]: _, ...others } = before
  return { ...others, [task.id]: task.endedAt }
}

/**
 * Reports whether it completed and was viewed after that: its tree is folded unless the user opens
 * it.
 */
export const isRead = (task: Task, seen: Readonly<Record<TaskId, string>>): boolean =>
  task.parentId === null &&
  task.status === 'completed' &&
  task.endedAt !== null &&
  (seen[task.id] ?? '') >= task.endedAt
