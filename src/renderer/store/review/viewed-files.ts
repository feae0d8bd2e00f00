/**
 * The changed files that the user marked as viewed, for every view of changes. A mark applies to the viewed content:
 * once the file changes, it is unmarked. Kept in this browser or window, over restarts.
 */
import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { type TaskId, taskIdSchema } from '../../../shared/records/ids.ts'

type ChangedFile = Pick<WorkspaceDiff['files'][number], 'path' | 'contentId'>
/** By task and path, the id of the viewed content. */
type ViewedState = ReadonlyMap<TaskId, ReadonlyMap<string, string>>

const storedSchema = z.array(z.tuple([taskIdSchema, z.array(z.tuple([z.string(), z.string()]))]))
const storageKey = 'shiplog.viewed-files'
/** Tasks whose marks are remembered; the oldest are dropped. */
const tasksMax = 50
/** Files of one task: far more than are marked by hand. */
const filesMax = 2_000

export interface ViewedFiles {
  store: StoreApi<ViewedState>
  /** Returns whether it is viewed now. */
  toggle(taskId: TaskId, file: ChangedFile): boolean
}

export const isViewed = (
  viewed: ViewedState,
  taskId: TaskId,
  { path, contentId }: ChangedFile,
): boolean => viewed.get(taskId)?.get(path) === contentId

export function createViewedFiles(storage: Pick<Storage, 'getItem' | 'setItem'>): ViewedFiles {
  const store = createStore<ViewedState>(() => read(storage))
  return {
    store,
    toggle(taskId, file) {
      const before = store.getState()
      const viewed = !isViewed(before, taskId, file)
      const marks = new Map(before.get(taskId))
      marks.delete(file.path)
      if (viewed) marks.set(file.path, file.contentId)
      const next = new Map(before)
      next.delete(taskId)
      if (marks.size > 0) next.set(taskId, new Map([...marks].slice(-filesMax)))
      for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - tasksMax)))
        next.delete(oldest)
      store.setState(next, true)
      try {
        const stored = [...next].map(([id, files]) => [id, [...files]])
        storage.setItem(storageKey, JSON.stringify(stored))
      } catch {
        // Storage is full: the marks last as long as the window.
      }
      return viewed
    },
  }
}

function read(storage: Pick<Storage, 'getItem'>): ViewedState {
  try {
    const stored = storedSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '[]'))
    return new Map(stored.map(([id, files]) => [id, new Map(files)]))
  } catch {
    return new Map()
  }
}
