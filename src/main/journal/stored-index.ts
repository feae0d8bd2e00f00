// The offset index as a file beside its journal: `chat.index` of `chat.jsonl`. It only saves a scan: what
// can't be verified is ignored, and the journal is read instead. See FORMAT.md, "Offsets".
import { hash } from 'node:crypto'
import { type FileHandle, lstat } from 'node:fs/promises'
import path from 'node:path'
import { openDataFile } from './data-file.ts'
import { replaceUnsynced } from './durable-files.ts'
import { fingerprintOf, fingerprintsIn, textOfFingerprints } from './fingerprint.ts'
import { newlineByte, readLine, repeatedSum } from './line.ts'
import type { RecordPlace } from './offsets.ts'
import { readRange } from './read.ts'
import { createScanState, type ScanState } from './scan.ts'

/** A shorter journal is scanned in a millisecond or two: a second file would cost more than it saves. */
export const indexedFromBytes = 1 << 20
const indexVersion = 1
/** Lines looked at, spread over the journal, when it has grown since: a block that went bad shows. */
const samplesMax = 16
/** What the index says beside 24 characters a record, which is less than a record has. */
const headBytesMax = 4096

interface StoredIndex {
  version: number
  /** The journal's file when this was written; text, because they are 64-bit numbers. */
  size: string
  modifiedNs: string
  inode: string
  /** Bytes of each line, its newline included, from the journal's first byte on without a gap. Their seqs are 1, 2, 3 … */
  lengths: number[]
  /** The first 8 characters of each line's sum, one after the other. */
  fingerprints: string
}

export interface LoadedIndex {
  /** As after a scan up to where the index ends. */
  state: ScanState
  /** Nothing has written to the journal since. */
  untouched: boolean
}

/** `chat.jsonl` -> `chat.index`. */
export function indexFileOf(journal: string): string {
  return path.join(path.dirname(journal), `${path.basename(journal, '.jsonl')}.index`)
}

/** What the index of the journal at `file`, open as `journal`, knows; null unless all of it can be verified. Never throws. */
export async function loadIndex(journal: FileHandle, file: string): Promise<LoadedIndex | null> {
  try {
    const now = await identityOf(journal)
    const stored = await readStored(indexFileOf(file), Number(now.size))
    if (!stored) return null
    const untouched =
      stored.inode === now.inode && stored.size === now.size && stored.modifiedNs === now.modifiedNs
    const grown = stored.inode === now.inode && BigInt(now.size) > BigInt(stored.size)
    if (!untouched && !grown) return null
    const state = stateOf(stored)
    if (!state || !(await endsAsStored(journal, state))) return null
    if (grown && !(await samplesAreThere(journal, state))) return null
    return { state, untouched }
  } catch {
    // Whatever is wrong with it: the journal says the same, and says it better.
    return null
  }
}

/**
 * Writes what `state` knows of the journal's beginning, up to the first damage, which is told anew by each
 * scan. Not synced: after a crash it is there, or is not, or is not whole, and all three are fine. False
 * when there is nothing worth keeping. Rejects with what the disk says.
 */
export async function saveIndex(
  journal: FileHandle,
  file: string,
  state: ScanState,
  fromBytes: number = indexedFromBytes,
): Promise<boolean> {
  // Of a file in which a line is not what the scan had found, who knows what else has changed.
  if (state.offset < fromBytes || state.changed.size > 0) return false
  const places = wholeBeginning(state)
  const last = places.at(-1)
  if (!last || last.end + 1 < fromBytes) return false
  const known = {
    version: indexVersion,
    lengths: places.map(({ start, end }) => end + 1 - start),
    fingerprints: textOfFingerprints(places.map(({ fingerprint }) => fingerprint)),
  }
  const body = JSON.stringify({ ...known, ...(await identityOf(journal)) })
  await replaceUnsynced(indexFileOf(file), `${body}\n${sumOf(body)}\n`)
  return true
}

async function identityOf(
  journal: FileHandle,
): Promise<Pick<StoredIndex, 'size' | 'modifiedNs' | 'inode'>> {
  const { size, mtimeNs, ino } = await journal.stat({ bigint: true })
  return { size: String(size), modifiedNs: String(mtimeNs), inode: String(ino) }
}

/** The records from the first on whose lines follow each other without damage between them. */
function wholeBeginning({ index, damage }: ScanState): RecordPlace[] {
  const places: RecordPlace[] = []
  const until = Math.min(index.count, damage.firstLine() - 1)
  for (let start = 0; places.length < until; ) {
    const place = index.at(places.length)
    if (!place || place.seq !== places.length + 1 || place.start !== start) break
    places.push(place)
    start = place.end + 1
  }
  return places
}

async function readStored(file: string, journalBytes: number): Promise<StoredIndex | null> {
  const status = await lstat(file)
  if (!status.isFile() || status.size > journalBytes + headBytesMax) return null
  const handle = await openDataFile(file, 'read')
  try {
    const [body = '', sum, rest] = (await handle.readFile('utf8')).split('\n')
    if (sum !== sumOf(body) || rest !== '') return null
    const stored = JSON.parse(body)
    return stored.version === indexVersion ? stored : null
  } finally {
    await handle.close()
  }
}

const sumOf = (body: string): string => hash('sha256', body, 'base64url')

/** Null when it can't be the index of any journal. */
function stateOf({ lengths, fingerprints: text }: StoredIndex): ScanState | null {
  const fingerprints = fingerprintsIn(text)
  if (fingerprints?.length !== lengths.length || lengths.length === 0) return null
  const state = createScanState()
  for (const [i, length] of lengths.entries()) {
    if (!Number.isSafeInteger(length) || length < 1) return null
    const start = state.offset
    state.offset += length
    state.index.add({ seq: i + 1, start, end: state.offset - 1, fingerprint: fingerprints[i] ?? 0 })
  }
  state.lines = lengths.length
  state.lastSeq = lengths.length
  state.fromIndex = true
  return state
}

/** The last line proves that this is its index: its sum covers all before it, by the chain. */
async function endsAsStored(journal: FileHandle, state: ScanState): Promise<boolean> {
  const sum = await sumAt(journal, state, state.index.count - 1)
  if (sum === null) return false
  state.previousSum = repeatedSum(sum)
  return true
}

async function samplesAreThere(journal: FileHandle, state: ScanState): Promise<boolean> {
  const { count } = state.index
  const samples = Math.min(count, samplesMax)
  for (let n = 0; n < samples; n++) {
    const ordinal = Math.floor((n * count) / samples)
    if ((await sumAt(journal, state, ordinal)) === null) return false
  }
  return true
}

/** The sum of a line that is where and what the index says, newlines around it included; else null. */
async function sumAt(
  journal: FileHandle,
  state: ScanState,
  ordinal: number,
): Promise<string | null> {
  const place = state.index.at(ordinal)
  if (!place) return null
  const from = Math.max(0, place.start - 1)
  const bytes = await readRange(journal, from, place.end + 1)
  const start = place.start - from
  const end = place.end - from
  if (bytes.length !== end + 1 || bytes[end] !== newlineByte) return null
  if (start > 0 && bytes[0] !== newlineByte) return null
  const line = readLine(bytes, start, end)
  return line?.seq === place.seq && fingerprintOf(line.sum) === place.fingerprint ? line.sum : null
}
