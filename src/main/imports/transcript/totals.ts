/** What the messages of a transcript used and which files its calls edited, in bounded memory. */
import { addUsage, noUsage, type Usage } from '../../../shared/records/usage.ts'
import type { EditedFile } from '../adapters/adapter.ts'

/** Messages that are remembered, for those whose records are far apart. */
const countedMessagesMax = 2_000
/** If a session edited more files, those edited longest ago are not listed. */
const editedFilesMax = 2_000

export function createUsageTotal() {
  const counted = new Set<string>()
  let total = noUsage

  return {
    get total(): Usage {
      return total
    },
    /** Returns what was counted: null of a message that was counted before, by another of its records. */
    add(messageId: string | null, usage: Usage): Usage | null {
      if (messageId !== null) {
        const isKnown = counted.delete(messageId)
        addBounded(counted, messageId, countedMessagesMax)
        if (isKnown) return null
      }
      total = addUsage(total, usage)
      return usage
    },
  }
}

export function createEditedFiles() {
  const times = new Map<string, number>()
  return {
    /** `path` is absolute, `atMs` in milliseconds since the epoch. */
    add(path: string, atMs: number): void {
      times.delete(path)
      times.set(path, atMs)
      const [oldest] = times.keys()
      if (times.size > editedFilesMax && oldest !== undefined) times.delete(oldest)
    },
    list: (): EditedFile[] => [...times].map(([path, atMs]) => ({ path, atMs })),
  }
}

function addBounded(ids: Set<string>, id: string, max: number): void {
  ids.add(id)
  const [oldest] = ids
  if (ids.size > max && oldest !== undefined) ids.delete(oldest)
}
