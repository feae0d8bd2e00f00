/** Reads import records before they are needed: while a thread starts and finds the sessions, the disk has time. */
import type { TaskId } from '../../shared/records/ids.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { readImportRecord } from './known-session.ts'
import type { ImportRecord } from './stage/staged-session.ts'

/** Records read at once, which mostly waits for the disk. */
const readAtOnce = 16

export interface RecordsAhead {
  /** Reads the records of the tasks, in their order, until `stop`. Never rejects. */
  read(ids: readonly TaskId[]): Promise<void>
  stop(): void
  /** Resolves with the record of a task, once without reading it again. Rejects as `readImportRecord` does. */
  take(id: TaskId): Promise<ImportRecord | null>
}

export function createRecordsAhead({ archiveDir }: Pick<DataLayout, 'archiveDir'>): RecordsAhead {
  const records = new Map<TaskId, Promise<ImportRecord | null>>()
  let isStopped = false
  return {
    async read(ids) {
      for (let at = 0; at < ids.length && !isStopped; at += readAtOnce) {
        const reads = ids.slice(at, at + readAtOnce).map((id) => {
          const record = readImportRecord(archiveDir(id))
          records.set(id, record)
          return record
        })
        await Promise.allSettled(reads)
      }
    },
    stop() {
      isStopped = true
    },
    take(id) {
      const record = records.get(id)
      records.delete(id)
      return record ?? readImportRecord(archiveDir(id))
    },
  }
}
