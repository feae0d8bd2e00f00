// Reading journals that this process does not write: archived ones, and live ones of another process.
// Never heals, never writes; a tail without a newline is ignored (J1).
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { JournalReadError } from './errors.ts'
import { linkTo, readLine } from './line.ts'
import { readPage, readRange, readRecords } from './read.ts'
import { createScanState, type ScanState, scanForward } from './scan.ts'
import type { JournalRecord, Page, PageQuery } from './types.ts'

/** Scans kept for the next page of the same file: 24 bytes a record, so some tens of MB at most. */
const scansKeptMax = 32

interface Scan {
  state: ScanState
  identity: string
  size: bigint
  modifiedNs: bigint
}

const scansKept = new Map<string, Promise<Scan>>()

/**
 * One page of a journal at `file`, which nobody may be writing. The first page of a file costs one
 * scan of it, later ones only the page and what was added since. A `limit` of 0 gives total and
 * damage alone. Throws JournalReadError (code ENOENT when there is no such file).
 */
export async function readJournalPage(file: string, query: PageQuery): Promise<Page> {
  return withFile(file, async (handle) => {
    const { state } = await scanOf(path.resolve(file), handle)
    const page = await readPage(handle, state, file, query)
    if (state.changed.size === 0) return page
    // The file is not the one that was scanned: look at it anew rather than call all of it damaged.
    scansKept.delete(path.resolve(file))
    return readPage(handle, (await scanOf(path.resolve(file), handle)).state, file, query)
  })
}

/** All records of a journal, a chunk at a time; damage shows in `readJournalPage`. Throws as that does. */
export async function* readJournal(
  file: string,
  query: { fromSeq?: number } = {},
): AsyncGenerator<JournalRecord> {
  const handle = await open(file, 'r').catch((error) => {
    throw new JournalReadError(file, error)
  })
  try {
    const { state } = await scanOf(path.resolve(file), handle)
    yield* readRecords(async () => handle, state, file, query.fromSeq)
  } finally {
    await handle.close()
  }
}

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    const handle = await open(file, 'r')
    try {
      return await use(handle)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new JournalReadError(file, error) : error
  }
}

/** Scans of one file run one after the other: they go on from each other's state. */
function scanOf(file: string, handle: FileHandle): Promise<Scan> {
  const before = scansKept.get(file)
  const scan = (before ?? Promise.resolve(null))
    .catch(() => null)
    .then((kept) => rescan(handle, kept))
  scansKept.delete(file)
  scansKept.set(file, scan)
  for (const oldest of scansKept.keys()) {
    if (scansKept.size <= scansKeptMax) break
    scansKept.delete(oldest)
  }
  scan.catch(() => {
    if (scansKept.get(file) === scan) scansKept.delete(file)
  })
  return scan
}

async function rescan(handle: FileHandle, kept: Scan | null): Promise<Scan> {
  const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true })
  const identity = `${dev}:${ino}`
  if (kept?.identity === identity && kept.size === size && kept.modifiedNs === mtimeNs) return kept
  const goesOn =
    kept?.identity === identity && size > kept.size && (await endsAsBefore(handle, kept.state))
  const state = goesOn ? kept.state : createScanState()
  await scanForward(handle, state)
  return { state, identity, size, modifiedNs: mtimeNs }
}

/** Whether the last record scanned is still there, so that the rest was only appended. */
async function endsAsBefore(handle: FileHandle, state: ScanState): Promise<boolean> {
  const last = state.index.at(state.index.count - 1)
  if (!last) return false
  const buffer = await readRange(handle, last.start, last.end)
  const whole = readLine(buffer, 0, buffer.length)
  return whole?.seq === last.seq && linkTo(whole.sum) === state.link
}
