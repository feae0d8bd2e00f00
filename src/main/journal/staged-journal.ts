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
   * JournalWriteError.
   */
  close(): Promise<void>
}

/** Creates the file (0600) in an existing folder, or truncates it. Throws JournalWriteError. */
export function createStagedJournal(file: string): StagedJournal {
  const state = createScanState()
  const descriptor = openFile(file)

  async function write(bodies: readonly RecordBody[]): Promise<void> {
    const now = Date.now()
    const prepared = bodies.map((body) => prepareRecord(body, now))
    try {
      for (const { blobs } of prepared)
        for (const blob of blobs) await storeBlob(blobDirectory(file), blob)
      const { block, lines } = encodeLines(prepared, nextSeq(state), state.previousSum)
      writeFullyNow(descriptor, block)
      for (const { seq, sum, bytes } of lines) admitAppended(state, seq, sum, bytes)
    } catch (error) {
      throw new JournalWriteError(file, error)
    }
  }

  async function close(): Promise<void> {
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
    close,
  }
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
