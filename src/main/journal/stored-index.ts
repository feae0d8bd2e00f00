// The offset index as a file beside its journal: `chat.index` of `chat.jsonl`. It only saves a
// scan: an index that can't be verified is ignored and the journal is read instead. See FORMAT.md,
// "Offsets".
import { createHash, hash } from 'node:crypto'
import { type FileHandle, lstat } from 'node:fs/promises'
import path from 'node:path'
import { readRange } from './byte-ranges.ts'
import { openDataFile } from './files/data-file.ts'
import { replaceUnsynced } from './files/durable-files.ts'
import { fingerprintOf } from './fingerprint.ts'
import { newlineByte, readLine, repeatedSum } from './line.ts'
import { createOffsetIndex, type OffsetIndex } from './offsets.ts'
import { createScanState, type ScanState } from './scan.ts'

/**
 * Shorter journals are scanned in one or two milliseconds, so an index would cost more than it
 * saves.
 */
export const indexedFromBytes = 1 << 20
/** The format in FORMAT.md; version 1 was JSON. */
const indexVersion = 2
const magic = Buffer.from('slogindx', 'latin1')
const headBytes = 48
/** The length of a line in 32 bits and its fingerprint in 48. A record in a journal is longer. */
const placeBytes = 10
const sumBytes = 32
/** Places encoded and written at once. */
const placesAtOnce = 1 << 16
const lineBytesMax = 2 ** 32 - 1
/** Lines checked across a journal that has grown since, to detect a bad block. */
const samplesMax = 16

/** The journal's file when the index was written. */
interface Identity {
  size: bigint
  modifiedNs: bigint
  inode: bigint
}

interface StoredIndex extends Identity {
  /** One place per record; their seqs are 1, 2, 3 …, without gaps between the lines. */
  places: Buffer
}

export interface LoadedIndex {
  /** The state after a scan up to the end of the index. */
  state: ScanState
  /** Whether the journal has not been written since. */
  untouched: boolean
}

/** `chat.jsonl` -> `chat.index`. */
export function indexFileOf(journal: string): string {
  return path.join(path.dirname(journal), `${path.basename(journal, '.jsonl')}.index`)
}

/**
 * Loads the index of the journal at `file`, open as `journal`. Returns null unless all of it is
 * verified. Never throws.
 */
export async function loadIndex(journal: FileHandle, file: string): Promise<LoadedIndex | null> {
  try {
    const now = await identityOf(journal)
    const stored = await readStored(indexFileOf(file), Number(now.size))
    if (!stored) return null
    const untouched =
      stored.inode === now.inode && stored.size === now.size && stored.modifiedNs === now.modifiedNs
    const grown = stored.inode === now.inode && now.size > stored.size
    if (!untouched && !grown) return null
    const state = stateOf(stored)
    if (!state || !(await endsAsStored(journal, state))) return null
    if (grown && !(await samplesAreThere(journal, state))) return null
    return { state, untouched }
  } catch {
    // Any error here only costs a scan, which reports it better.
    return null
  }
}

/**
 * Stores the index of a journal up to its first damage, which every scan must report again. Not
 * synced: after a crash the file may be missing or incomplete, which `loadIndex` detects.
 * Returns false if there is nothing worth storing. Rejects with the system's error.
 */
export async function saveIndex(
  journal: FileHandle,
  file: string,
  state: ScanState,
  fromBytes: number = indexedFromBytes,
): Promise<boolean> {
  // If a line differs from its scan, other lines may have changed too.
  if (state.offset < fromBytes || state.changed.size > 0) return false
  const identity = await identityOf(journal)
  const count = storedCount(state, fromBytes)
  if (count === 0) return false
  await replaceUnsynced(indexFileOf(file), encode(state.index, count, identity))
  return true
}

async function identityOf(journal: FileHandle): Promise<Identity> {
  const { size, mtimeNs, ino } = await journal.stat({ bigint: true })
  return { size, modifiedNs: mtimeNs, inode: ino }
}

/**
 * Returns how many records the index covers: from the first on up to the first damage. 0 if they
 * have fewer bytes than `fromBytes`, or if a line is too long.
 */
function storedCount({ index, damage }: ScanState, fromBytes: number): number {
  const until = Math.min(index.count, damage.firstLine() - 1)
  let count = 0
  let covered = 0
  for (; count < until; count++) {
    const place = index.at(count)
    if (place?.seq !== count + 1 || place.start !== covered) break
    if (place.end + 1 - covered > lineBytesMax) return 0
    covered = place.end + 1
  }
  return covered < fromBytes ? 0 : count
}

/** Yields the bytes of the stored index. In parts: a journal of gigabytes has millions of records. */
function* encode(
  index: OffsetIndex,
  count: number,
  { size, modifiedNs, inode }: Identity,
): Generator<Buffer> {
  const sum = createHash('sha256')
  const head = Buffer.alloc(headBytes)
  magic.copy(head)
  head.writeUInt32LE(indexVersion, 8)
  head.writeUInt32LE(placeBytes, 12)
  head.writeBigUInt64LE(BigInt(count), 16)
  head.writeBigUInt64LE(size, 24)
  head.writeBigUInt64LE(modifiedNs, 32)
  head.writeBigUInt64LE(inode, 40)
  sum.update(head)
  yield head
  for (let from = 0; from < count; from += placesAtOnce) {
    const places = encodePlaces(index, from, Math.min(from + placesAtOnce, count))
    sum.update(places)
    yield places
  }
  yield sum.digest()
}

function encodePlaces(index: OffsetIndex, from: number, to: number): Buffer {
  const places = Buffer.alloc(placeBytes * (to - from))
  const view = new DataView(places.buffer, places.byteOffset, places.length)
  for (let ordinal = from; ordinal < to; ordinal++) {
    const { start = 0, end = 0, fingerprint = 0 } = index.at(ordinal) ?? {}
    const at = placeBytes * (ordinal - from)
    view.setUint32(at, end + 1 - start, true)
    // The low 32 bits, then the high 16.
    view.setUint32(at + 4, fingerprint, true)
    view.setUint16(at + 8, fingerprint / 2 ** 32, true)
  }
  return places
}

async function readStored(file: string, journalBytes: number): Promise<StoredIndex | null> {
  const status = await lstat(file)
  // A place is shorter than the line that it refers to, so a longer file is no index of the journal.
  if (!status.isFile() || status.size > journalBytes + headBytes + sumBytes) return null
  const handle = await openDataFile(file, 'read')
  try {
    return decode(await handle.readFile())
  } finally {
    await handle.close()
  }
}

function decode(index: Buffer): StoredIndex | null {
  if (index.length < headBytes + placeBytes + sumBytes) return null
  if (!index.subarray(0, magic.length).equals(magic)) return null
  if (index.readUInt32LE(8) !== indexVersion || index.readUInt32LE(12) !== placeBytes) return null
  const places = index.subarray(headBytes, index.length - sumBytes)
  if (index.readBigUInt64LE(16) * BigInt(placeBytes) !== BigInt(places.length)) return null
  const body = index.subarray(0, index.length - sumBytes)
  if (!sumOf(body).equals(index.subarray(body.length))) return null
  return {
    size: index.readBigUInt64LE(24),
    modifiedNs: index.readBigUInt64LE(32),
    inode: index.readBigUInt64LE(40),
    places,
  }
}

const sumOf = (body: Buffer): Buffer => hash('sha256', body, 'buffer')

/**
 * Returns null if this can't be the index of any journal. Reads through a view into an array,
 * without a call or an object per record, which would dominate the start of a long ledger.
 */
function stateOf({ places, size }: StoredIndex): ScanState | null {
  const count = places.length / placeBytes
  const view = new DataView(places.buffer, places.byteOffset, places.length)
  const starts = new Float64Array(count)
  const lengths = new Uint32Array(count)
  const lowBits = new Uint32Array(count)
  const highBits = new Uint16Array(count)
  const fileBytes = Number(size)
  let offset = 0
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const from = placeBytes * ordinal
    const bytes = view.getUint32(from, true)
    // A wrong length must not cause a huge allocation when the line is read.
    if (bytes < 1 || offset + bytes > fileBytes) return null
    starts[ordinal] = offset
    lengths[ordinal] = bytes - 1
    lowBits[ordinal] = view.getUint32(from + 4, true)
    highBits[ordinal] = view.getUint16(from + 8, true)
    offset += bytes
  }
  const known = { offset, lines: count, lastSeq: count, fromIndex: true }
  const index = createOffsetIndex({ starts, lengths, lowBits, highBits })
  return { ...createScanState(), index, ...known }
}

/**
 * Checks the last line, which proves that the index belongs to this journal: its sum covers all
 * lines before it, by the chain.
 */
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

/**
 * Returns the sum of a line that is in the place that the index gives, between newlines; else null.
 */
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
