import { fstatSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { blobDirectory, storeBlob } from './blobs.ts'
import {
  JournalClosedError,
  JournalQueueFullError,
  JournalReadError,
  JournalWriteError,
  writtenByOthers,
} from './errors.ts'
import { openDataFile } from './files/data-file.ts'
import { makeDirDurable, syncDirectory, writeFully } from './files/durable-files.ts'
import { cut, healTornTail } from './heal.ts'
import { createIndexKeeper, type IndexKeeper } from './index-keeper.ts'
import { encodeLines, type NewSalt, type PreparedRecord, prepareRecord, recordOf } from './line.ts'
import { type RecordSource, readPage, readRecords, readSum } from './read.ts'
import { admitAppended, createScanState, nextSeq, type ScanState, scanForward } from './scan.ts'
import { indexedFromBytes, type LoadedIndex, loadIndex } from './stored-index.ts'
import type { Healing, Journal, JournalOptions, JournalRecord, RecordBody } from './types.ts'

/** More waiting bytes mean that the disk can't keep up; the queue must not grow without bound. */
const queueBytesMaxDefault = 64 << 20
/** Limits one write, so that the first of many waiting appends is not delayed by the last. */
const batchBytesMax = 8 << 20

interface Waiting {
  prepared: PreparedRecord[]
  bytes: number
  returnsRecords: boolean
  resolve(records: JournalRecord[]): void
  reject(error: Error): void
}

/**
 * Opens a journal for its one writer, creates it (0600) and its folders (0700) if missing, and
 * heals a torn tail (J4). The caller must hold the data directory's lease. Throws JournalWriteError
 * or JournalReadError.
 */
export async function openJournal(file: string, options: JournalOptions = {}): Promise<Journal> {
  const { clock = Date.now, fileMode = 0o600, newSalt, isDisplaced = () => false } = options
  const { queueBytesMax = queueBytesMaxDefault, onIndexFailed = () => {} } = options
  const { indexedFromBytes: fromBytes = indexedFromBytes } = options
  const { writer, reader } = await openFile(file, fileMode)
  try {
    const loaded = await loadWorthwhileIndex(file, reader, fromBytes)
    const keeper = createIndexKeeper({
      file,
      reader,
      fromBytes,
      loaded,
      onFailed: onIndexFailed,
    })
    const state = loaded?.state ?? createScanState()
    const healed = await scanAndHeal(file, reader, state)
    if (healed.length > 0) keeper.changed(state)
    const files = { file, writer, reader }
    const limits = { queueBytesMax, isDisplaced }
    return createJournal({ ...files, state, healed, keeper, clock, newSalt, ...limits })
  } catch (error) {
    await Promise.all([writer.close(), reader.close()])
    throw error
  }
}

async function openFile(
  file: string,
  mode: number,
): Promise<{ writer: FileHandle; reader: FileHandle }> {
  try {
    await makeDirDurable(path.dirname(file))
    // In append mode, so that a second writer could never overwrite records.
    const writer = await openDataFile(file, 'append', { mode })
    try {
      // Always, because a process may have created the file and died before syncing the directory.
      await syncDirectory(path.dirname(file))
      return { writer, reader: await openDataFile(file, 'read') }
    } catch (error) {
      await writer.close()
      throw error
    }
  } catch (error) {
    throw new JournalWriteError(file, error)
  }
}

async function loadWorthwhileIndex(
  file: string,
  reader: FileHandle,
  fromBytes: number,
): Promise<LoadedIndex | null> {
  const { size } = await reader.stat()
  return size < fromBytes ? null : loadIndex(reader, file)
}

async function scanAndHeal(file: string, reader: FileHandle, state: ScanState): Promise<Healing[]> {
  let tailBytes: number
  try {
    tailBytes = await scanForward(reader, state)
  } catch (error) {
    throw new JournalReadError(file, error)
  }
  if (tailBytes === 0) return []
  try {
    return [await healTornTail(file, state.offset, tailBytes)]
  } catch (error) {
    throw new JournalWriteError(file, error)
  }
}

interface OpenFile {
  file: string
  writer: FileHandle
  reader: FileHandle
  state: ScanState
  healed: Healing[]
  keeper: IndexKeeper
  clock: () => number
  newSalt: NewSalt | undefined
  queueBytesMax: number
  isDisplaced: () => boolean
}

function createJournal(opened: OpenFile): Journal {
  const { file, reader, healed, keeper, clock, newSalt, queueBytesMax, isDisplaced } = opened
  let { writer, state } = opened
  let queue: Waiting[] = []
  let queuedBytes = 0
  let pumping: Promise<void> | null = null
  let rescanning: PromiseWithResolvers<boolean> | null = null
  let closing: Promise<void> | null = null
  /** Whether a failed write may have left bytes after the acknowledged end. */
  let needsRepair = false

  function enqueue(
    bodies: readonly RecordBody[],
    { returnsRecords }: { returnsRecords: boolean } = { returnsRecords: true },
  ): Promise<JournalRecord[]> {
    return new Promise((resolve, reject) => {
      if (closing) throw new JournalClosedError(file)
      if (bodies.length === 0) return resolve([])
      const now = clock()
      const prepared = bodies.map((body) => prepareRecord(body, now))
      const bytes = prepared.reduce((sum, { wholeBytes }) => sum + wholeBytes, 0)
      // A single record is always accepted, however long.
      if (queuedBytes > 0 && queuedBytes + bytes > queueBytesMax)
        throw new JournalQueueFullError(file, queueBytesMax)
      queue.push({ prepared, bytes, returnsRecords, resolve, reject })
      queuedBytes += bytes
      pumping ??= pump()
    })
  }

  /** Writes batches, with requested scans in between, until the queue is empty. Never rejects. */
  async function pump(): Promise<void> {
    // Lets appends of the same turn of the event loop share the first sync.
    await Promise.resolve()
    for (;;) {
      if (rescanning) await scanWhole(rescanning)
      if (queue.length === 0) break
      const batch = takeBatch()
      try {
        const records = await writeBatch(batch)
        settle(batch, (waiting, i) => waiting.resolve(records[i] ?? []))
      } catch (cause) {
        // Queued appends fail too, because they may depend on the failed ones.
        const error = new JournalWriteError(file, cause)
        const failed = [...batch, ...queue]
        queue = []
        if (needsRepair && !isDisplaced()) await repair().catch(() => {})
        settle(failed, (waiting) => waiting.reject(error))
      }
    }
    pumping = null
  }

  function takeBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const waiting of queue) {
      bytes += waiting.bytes
      if (count > 0 && bytes > batchBytesMax) break
      count += 1
    }
    return queue.splice(0, count)
  }

  function settle(batch: Waiting[], notify: (waiting: Waiting, i: number) => void): void {
    for (const [i, waiting] of batch.entries()) {
      queuedBytes -= waiting.bytes
      notify(waiting, i)
    }
  }

  /** Returns each append's records once all are durable; only then updates the in-memory state. */
  async function writeBatch(batch: Waiting[]): Promise<JournalRecord[][]> {
    if (isDisplaced()) refuseBesideOthers('another process has the lease')
    if (needsRepair) await repair()
    else refuseWhenChanged()
    for (const blob of batch.flatMap(({ prepared }) => prepared.flatMap(({ blobs }) => blobs)))
      await storeBlob(blobDirectory(file), blob)
    const prepared = batch.flatMap((waiting) => waiting.prepared)
    const { block, lines } = encodeLines(prepared, nextSeq(state), state.previousSum, {
      newSalt,
    })
    let seq = nextSeq(state)
    const records = batch.map((waiting) => {
      const first = seq
      seq += waiting.prepared.length
      return waiting.returnsRecords
        ? waiting.prepared.map((one, nth) => recordOf(one, first + nth))
        : []
    })
    needsRepair = true
    await writeFully(writer, block)
    await writer.datasync()
    needsRepair = false
    for (const line of lines) admitAppended(state, line.seq, line.sum, line.bytes)
    keeper.changed(state)
    return records
  }

  /**
   * Throws if another process has written the file. The lease normally prevents that, but not if it
   * was deleted or damaged, and records appended after another writer's would be read as damage.
   * Does not block: the kernel holds the size of an open file in memory.
   */
  function refuseWhenChanged(): void {
    const { size } = fstatSync(writer.fd)
    if (size !== state.offset) refuseBesideOthers(`${size} bytes, ${state.offset} by this process`)
  }

  function refuseBesideOthers(why: string): never {
    throw Object.assign(new Error(why), { code: writtenByOthers })
  }

  /**
   * Truncates the file to its acknowledged end. After a failed sync the system may take lost pages
   * for written, so the bytes are cut and written again, through a new handle.
   */
  async function repair(): Promise<void> {
    const handle = await openDataFile(file, 'read-write')
    try {
      const { size } = await handle.stat()
      if (size < state.offset)
        throw Object.assign(new Error(`${file} is shorter than what was acknowledged`), {
          code: 'EIO',
        })
      await cut(handle, state.offset)
    } finally {
      await handle.close()
    }
    const fresh = await openDataFile(file, 'append')
    await writer.close().catch(() => {})
    writer = fresh
    needsRepair = false
  }

  /** Scans the file from its start, because the stored index that it was opened with is wrong. */
  async function scanWhole(asked: PromiseWithResolvers<boolean>): Promise<void> {
    try {
      const fresh = createScanState()
      await scanForward(reader, fresh, state.offset)
      // Truncated by another process: the missing records were reported one by one.
      const reached = fresh.offset === state.offset
      if (reached) state = fresh
      else state.fromIndex = false
      asked.resolve(reached)
    } catch (error) {
      asked.reject(new JournalReadError(file, error))
    } finally {
      rescanning = null
    }
  }

  /** Runs between batches, so that nothing writes through a handle that is being replaced. */
  function rescan(seen: ScanState): Promise<boolean> {
    if (seen !== state) return Promise.resolve(true)
    if (!seen.fromIndex) return Promise.resolve(false)
    rescanning ??= Promise.withResolvers()
    const { promise } = rescanning
    pumping ??= pump()
    return promise
  }

  async function flush(): Promise<void> {
    while (pumping) await pumping
  }

  async function shut(): Promise<void> {
    await flush()
    if (needsRepair && !isDisplaced()) await repair().catch(() => {})
    await keeper.close(state)
    await Promise.all([writer.close(), reader.close()])
  }

  async function openReader(): Promise<FileHandle> {
    if (closing) throw new JournalClosedError(file)
    return reader
  }

  const source: RecordSource = { file, handle: openReader, state: () => state, rescan }

  return {
    path: file,
    healed,
    get lastSeq() {
      return state.lastSeq
    },
    get bytes() {
      return state.offset
    },
    get damage() {
      return state.damage.list(file)
    },
    async append(body) {
      const [record] = await enqueue([body])
      if (!record) throw new Error('an append gave no record')
      return record
    },
    appendAll: (bodies) => enqueue(bodies),
    async write(bodies) {
      await enqueue(bodies, { returnsRecords: false })
    },
    page: (query) => readPage(source, query),
    records: (query = {}) => readRecords(source, query.fromSeq),
    sumAt: async (seq) => readSum(await openReader(), state, seq),
    flush,
    close() {
      closing ??= shut()
      return closing
    },
  }
}
