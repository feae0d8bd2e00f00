/** Names in the trash: they say what each thing is, and survive the loss of the ledger. */
import { readdir } from 'node:fs/promises'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { systemCode } from '../journal/index.ts'

/** The folder of an expired transcript. */
export const expiredName = (taskId: TaskId): string => `transcript-${taskId}`
/** The session directory of a root that was deleted. */
export const trashedRootName = (taskId: TaskId): string => `archive-${taskId}`
/** A session directory that should have been empty when it went, and was not. */
export const leftSessionName = (taskId: TaskId): string => `session-${taskId}`
/** What was left in a worktree; `unique` where there may be several of one task. */
export const leftoversName = (taskId: TaskId, unique?: string): string =>
  unique === undefined ? `worktree-${taskId}` : `worktree-${taskId}-${unique}`

/** A worktree as it was moved here; what was saved of it is still in it. */
export const unsortedSuffix = '.unsorted'
export const sortedName = (name: string): string =>
  name.endsWith(unsortedSuffix) ? name.slice(0, -unsortedSuffix.length) : name

/** Whose worktree it was, by the name; null of anything else. */
export function taskOfLeftovers(name: string): TaskId | null {
  const [, id = ''] = /^worktree-([0-9a-f-]{36})(?:-|\.|$)/.exec(name) ?? []
  return parseTaskId(id)
}

const beingDeleted = 'deleting-'
/** It was decided that this goes: half of it must never be taken for the whole. */
export const beingDeletedName = (unique: string): string => `${beingDeleted}${unique}`
export const isBeingDeleted = (name: string): boolean => name.startsWith(beingDeleted)

/** Names in the trash, sorted; none where there is no trash. */
export async function namesInTrash(trash: string): Promise<string[]> {
  const names = await readdir(trash).catch((error) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
  return names.sort()
}
