import { readPages } from '../../shared/async/read-pages.ts'
import { JournalReadError } from './errors.ts'
import { openDataFile } from './files/data-file.ts'
import { readPage } from './read.ts'
import { createScanState, scanForward } from './scan.ts'
import type { Damage, JournalRecord } from './types.ts'

/** Records per page; a page is bounded in bytes as well. */
const recordsAtOnce = 1000

export interface JournalCheck {
  /** Readable records. */
  records: number
  /**
   * Records that an export left out; their stubs keep the chain. Damage unless `stubs` is given.
   */
  withheld: number
  damage: Damage[]
  /** Bytes after the last newline: neither a record (J1) nor damage. */
  tailBytes: number
}

/**
 * Checks the checksum and the chain of every line of the journal at `file` (J3), and calls `visit`
 * with every readable record in order, long values left as previews with their `blobs`. Refuses a
 * symbolic link. Uses the memory of one page and 32 bytes a record. Throws JournalReadError.
 */
export async function verifyJournal(
  file: string,
  visit: (record: JournalRecord) => void | Promise<void> = () => {},
  { stubs = false } = {},
): Promise<JournalCheck> {
  const handle = await openDataFile(file, 'read').catch((error) => {
    throw new JournalReadError(file, error)
  })
  try {
    const state = createScanState({ stubs })
    const tailBytes = await scanForward(handle, state)
    const source = {
      file,
      handle: async () => handle,
      state: () => state,
      rescan: async () => false,
    }
    const pages = readPages(1, (fromSeq) =>
      readPage(source, { fromSeq, limit: recordsAtOnce, previews: true }),
    )
    for await (const { records } of pages) for (const record of records) await visit(record)
    const { index, withheld } = state
    return {
      records: index.count,
      withheld: withheld ?? 0,
      damage: state.damage.list(file),
      tailBytes,
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new JournalReadError(file, error) : error
  } finally {
    await handle.close()
  }
}
