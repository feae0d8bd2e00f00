/** Totals of usage and edited files of a transcript, in bounded memory. */
import { setBounded } from '../../../shared/projections/session/bounded-lists.ts'
import { addUsage, noUsage, type Usage } from '../../../shared/records/usage.ts'
import type { EditedFile } from '../adapters/adapter.ts'

/** Number of recent messages whose usage is cached, for messages with distant records. */
const countedMessagesMax = 2_000
/** Limit of edited files; the least recently edited are dropped. */
const editedFilesMax = 2_000

export function createUsageTotal() {
  const counted = new Map<string, true>()
  let total = noUsage

  return {
    get total(): Usage {
      return total
    },
    /** Returns the added usage; null if the message was already counted for another of its records. */
    add(messageId: string | null, usage: Usage): Usage | null {
      if (messageId !== null) {
        const isKnown = counted.has(messageId)
        setBounded(counted, messageId, true, countedMessagesMax)
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
      setBounded(times, path, atMs, editedFilesMax)
    },
    list: (): EditedFile[] => [...times].map(([path, atMs]) => ({ path, atMs })),
  }
}
