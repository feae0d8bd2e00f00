/**
 * Writes a journal that nobody reads before it is complete, such as that of an import. For a thread of its own: it
 * writes synchronously, because handing a write to another thread costs more than the write.
 */
import { closeSync, fdatasync } from 'node:fs'
import { blobDirectory, storeBlob } from './blobs.ts'
import { JournalWriteError } from './errors.ts'
import { openDataFile, openFileNow } from './files/data-file.ts'
import { writeFullyNow } from './files/durable-files.ts'
import { encodeLines, prepareRecord } from './line.ts'
import { admitAppended, createScanState, nextSeq } from './scan.ts'
import { indexedFromBytes, saveIndex } from './stored-index.ts'
import type { RecordBody } from './types.ts'

export interface StagedJournal {
  /** Size of the file. */
  readonly bytes: number
  /** Rejects with JournalWriteError; the file is useless then. Call it again only after it has resolved. */
  write(bodies: readonly RecordBody[]): Promise<void>
  /**
   * Makes all records durable and stores the offset index. The directory entry is not durable yet. Rejects with
   * JournalWriteError. Further calls have the outcome of the first.
   */
  close(): Promise<void>
}

/** Creates the file (0600) in an existing folder, or truncates it. Throws JournalWriteError. */
export function createStagedJournal(file: string): StagedJournal {
  const state = createScanState()
  const descriptor = openFile(file)
  let closing: Promise<void> | null = null

  async function write(bodies: readonly RecordBody[]): Promise<void> {
    const now = Date.now()
    const prepared = bodies.map((body) => prepareRecord(body, now))
    try {
      for (const { blobs } of prepared)
        for (const blob of blobs) await storeBlob(blobDirectory(file), blob)
      const { block, lines } = encodeLines(prepared, nextSeq(state), state.previousSum, {
        newBlock: sharedBlock,
      })
      writeFullyNow(descriptor, block)
      for (const { seq, sum, bytes } of lines) admitAppended(state, seq, sum, bytes)
    } catch (error) {
      throw new JournalWriteError(file, error)
    }
  }

  async function shut(): Promise<void> {
    try {
      // Asynchronously, because the thread can read another session while it waits for the disk.
      await synced(descriptor)
    } catch (error) {
      throw new JournalWriteError(file, error)
    } finally {
      closeSync(descriptor)
    }
    await storeIndex()
  }

  /** Failing to store the index costs the next reader a scan, and is no error. */
  async function storeIndex(): Promise<void> {
    if (state.offset < indexedFromBytes) return
    const reader = await openDataFile(file, 'read')
    try {
      await saveIndex(reader, file, state)
    } catch {
    } finally {
      await reader.close()
    }
  }

  return {
    get bytes() {
      return state.offset
    },
    write,
    close() {
      closing ??= shut()
      return closing
    },
  }
}

/** More is allocated for its block only. */
const sharedBytesMax = 4 << 20
let shared = Buffer.alloc(0)

/**
 * The memory of all blocks of this thread, because each is written before the next is encoded. New memory for each
 * would cost more collections of garbage than the records.
 */
function sharedBlock(bytes: number): Buffer {
  if (bytes > sharedBytesMax) return Buffer.allocUnsafe(bytes)
  if (shared.length < bytes) shared = Buffer.allocUnsafeSlow(Math.min(2 * bytes, sharedBytesMax))
  return shared.subarray(0, bytes)
}

function openFile(file: string): number {
  try {
    return openFileNow(file, 'overwrite')
  } catch (error) {
    throw new JournalWriteError(file, error)
  }
}

function synced(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
  })
}
