// Reads journals that this process does not write: archived ones, and live ones of another process.
// Never heals and never writes, not even the index, because without the lease another process may
// be doing so. Ignores a tail without a newline (J1).
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import { readRange } from './byte-ranges.ts'
import { JournalReadError } from './errors.ts'
import { openDataFile } from './files/data-file.ts'
import { readLine, repeatedSum } from './line.ts'
import { type RecordSource, readPage, readRecords, readSum } from './read.ts'
import { createScanState, type ScanState, scanForward } from './scan.ts'
import { indexedFromBytes, loadIndex } from './stored-index.ts'
import type { JournalRecord, Page, PageQuery } from './types.ts'

/**
 * Scans cached for the next page of the same file: a million records. The newest is kept at any
 * size.
 */
export const scansKeptBytesMax = 32 << 20
/** A scan without records still uses memory beyond its index. */
const scanBytesMin = 2_048

interface Scan {
  state: ScanState
  identity: string
  size: bigint
  modifiedNs: bigint
}

/** By file, the most recently used last. */
const scansKept = new Map<string, { scan: Promise<Scan>; bytes: number }>()

/** Returns how many scans are cached and their memory use; for tests. */
export const keptScans = () => ({
  count: scansKept.size,
  bytes: totalBytes([...scansKept.values()]),
})

/**
 * Returns one page of the journal at `file`, which this process must not be writing. The first page
 * of a file scans what its stored index does not cover, later ones only what was added since. A
 * `limit` of 0 returns the total and the damage alone. Throws JournalReadError (code ENOENT if
 * there is no such file).
 */
export async function readJournalPage(file: string, query: PageQuery): Promise<Page> {
  const handle = await openToRead(file)
  try {
    return await readPage(await sourceOf(file, handle), query)
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new JournalReadError(file, error) : error
  } finally {
    await handle.close()
  }
}

/**
 * Yields all records of a journal, a chunk at a time; `readJournalPage` reports its damage. Throws
 * as that does.
 */
export async function* readJournal(
  file: string,
  query: { fromSeq?: number } = {},
): AsyncGenerator<JournalRecord> {
  const handle = await openToRead(file)
  try {
    yield* readRecords(await sourceOf(file, handle), query.fromSeq)
  } finally {
    await handle.close()
  }
}

/**
 * Returns the checksum of the record with this seq, as `sumAt` of a journal does. Throws as
 * `readJournalPage` does.
 */
export async function readJournalSum(file: string, seq: number): Promise<string | null> {
  const handle = await openToRead(file)
  try {
    return await readSum(handle, (await sourceOf(file, handle)).state(), seq)
  } finally {
    await handle.close()
  }
}

async function openToRead(file: string): Promise<FileHandle> {
  return openDataFile(file, 'read').catch((error) => {
    throw new JournalReadError(file, error)
  })
}

async function sourceOf(file: string, handle: FileHandle): Promise<RecordSource> {
  const place = path.resolve(file)
  let { state } = await scanOf(place, (kept) => continueScan(file, handle, kept))
  return {
    file,
    handle: async () => handle,
    state: () => state,
    async rescan(seen) {
      // Unless another reader of this file has rescanned it meanwhile.
      const scanAgain = (kept: Scan | null) =>
        kept && kept.state !== seen
          ? continueScan(file, handle, kept)
          : scan(handle, createScanState())
      state = (await scanOf(place, scanAgain)).state
      return true
    },
  }
}

/** Serializes the scans of one file, because each continues from the state of the one before. */
function scanOf(place: string, rescan: (kept: Scan | null) => Promise<Scan>): Promise<Scan> {
  const before = scansKept.get(place)
  const done = (before?.scan ?? Promise.resolve(null)).catch(() => null).then(rescan)
  const kept = { scan: done, bytes: before?.bytes ?? scanBytesMin }
  scansKept.delete(place)
  scansKept.set(place, kept)
  done.then(
    ({ state }) => {
      kept.bytes = scanBytesMin + state.index.bytes
      forgetOldest()
    },
    () => {
      if (scansKept.get(place) === kept) scansKept.delete(place)
    },
  )
  return done
}

function forgetOldest(): void {
  let { bytes } = keptScans()
  for (const [place, oldest] of scansKept) {
    if (bytes <= scansKeptBytesMax || scansKept.size === 1) return
    scansKept.delete(place)
    bytes -= oldest.bytes
  }
}

async function continueScan(file: string, handle: FileHandle, kept: Scan | null): Promise<Scan> {
  const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true })
  const sameFile = kept?.identity === `${dev}:${ino}`
  if (sameFile && kept.size === size && kept.modifiedNs === mtimeNs) return kept
  if (sameFile && size > kept.size && (await endsAsBefore(handle, kept.state)))
    return scan(handle, kept.state)
  const stored = size < indexedFromBytes ? null : await loadIndex(handle, file)
  return scan(handle, stored?.state ?? createScanState())
}

async function scan(handle: FileHandle, state: ScanState): Promise<Scan> {
  // Read first: a write during the scan makes the next reader check again.
  const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true })
  await scanForward(handle, state)
  return { state, identity: `${dev}:${ino}`, size, modifiedNs: mtimeNs }
}

/**
 * Reports whether the last scanned record is still in place, so that the rest was only appended.
 */
async function endsAsBefore(handle: FileHandle, state: ScanState): Promise<boolean> {
  const last = state.index.at(state.index.count - 1)
  if (!last) return false
  const buffer = await readRange(handle, last.start, last.end)
  const whole = readLine(buffer, 0, buffer.length)
  return whole?.seq === last.seq && repeatedSum(whole.sum) === state.previousSum
}
