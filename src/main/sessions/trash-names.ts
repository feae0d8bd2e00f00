/**
 * Names in the trash. They describe their content, so that they can be identified if the ledger is
 * lost.
 */
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { namesIn } from '../journal/index.ts'

/** The folder of an expired transcript. */
export const expiredName = (taskId: TaskId): string => `transcript-${taskId}`
/** The session directory of a deleted root. */
export const trashedRootName = (taskId: TaskId): string => `archive-${taskId}`
/** A session directory that was not empty when it was removed. */
export const leftSessionName = (taskId: TaskId): string => `session-${taskId}`
/** The leftovers of a worktree; `unique` if a task may have several. */
export const leftoversName = (taskId: TaskId, unique?: string): string =>
  unique === undefined ? `worktree-${taskId}` : `worktree-${taskId}-${unique}`

/** A worktree moved to the trash as a whole; files already saved elsewhere are still in it. */
export const unsortedSuffix = '.unsorted'
export const sortedName = (name: string): string =>
  name.endsWith(unsortedSuffix) ? name.slice(0, -unsortedSuffix.length) : name

/** Returns the task that the leftovers belong to; null for any other name. */
export function taskOfLeftovers(name: string): TaskId | null {
  const [, id = ''] = /^worktree-([0-9a-f-]{36})(?:-|\.|$)/.exec(name) ?? []
  return parseTaskId(id)
}

const beingDeleted = 'deleting-'
/** Marks an item that is being deleted, so that half of it is never taken for the whole. */
export const beingDeletedName = (unique: string): string => `${beingDeleted}${unique}`
export const isBeingDeleted = (name: string): boolean => name.startsWith(beingDeleted)

/** Returns the names in the trash, sorted; none if there is no trash. */
export async function namesInTrash(trash: string): Promise<string[]> {
  return (await namesIn(trash)).sort()
}
