// Reads records through the offset index. Checks every line's checksum again, because the line may
// have changed since it was indexed.
import type { FileHandle } from 'node:fs/promises'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import { blobDirectory, blobReferences, restoreBlobs } from './blobs.ts'
import { chunksOf, readRange } from './byte-ranges.ts'
import { fingerprintOf } from './fingerprint.ts'
import { newlineByte, parseLine, readLine } from './line.ts'
import type { RecordPlace } from './offsets.ts'
import type { ScanState } from './scan.ts'
import type { JournalRecord, Page, PageQuery } from './types.ts'

/**
 * Bytes of records in one page, so that a page of very long records stays small. One record always
 * fits.
 */
const pageBytesMax = 16 << 20
/** Bytes of lines per read. */
const stepBytes = 1 << 20
/** Records further apart are read by separate calls. */
const gapBytesMax = 1 << 16

/** A journal to read from, opened by its writer or by a reader. */
export interface RecordSource {
  file: string
  handle(): Promise<FileHandle>
  /** The scanned state of the file; a different object after `rescan`. */
  state(): ScanState
  /**
   * Scans the whole file again after lines were not at the offsets in `seen`, so that a wrong stored
   * index is never mistaken for damage. Returns false if a scan can't add anything to `seen`.
   */
  rescan(seen: ScanState): Promise<boolean>
}

/**
 * Returns one page, after a second scan if a line was not where a stored index had it. Throws
 * RangeError if the count of the query is not a whole number.
 */
export async function readPage(source: RecordSource, query: PageQuery): Promise<Page> {
  const state = source.state()
  const page = await readPageOf(state, source, query)
  const rescanned = state.changed.size > 0 && (await source.rescan(state))
  return rescanned ? readPageOf(source.state(), source, query) : page
}

async function readPageOf(state: ScanState, source: RecordSource, query: PageQuery): Promise<Page> {
  const { file } = source
  const { index } = state
  const { throughSeq = state.lastSeq } = query
  const end = throughSeq < state.lastSeq ? index.ordinalFrom(throughSeq + 1) : index.count
  const [from, count] =
    'last' in query
      ? [Math.max(0, end - wholeNumber(query.last)), wholeNumber(query.last)]
      : [index.ordinalFrom(query.fromSeq ?? 1), wholeNumber(query.limit)]
  const bytesMax = Math.min(query.bytesMax ?? pageBytesMax, pageBytesMax)
  const places =
    'last' in query
      ? takeLast(state, from, end, bytesMax)
      : take(state, from, Math.min(from + count, end), bytesMax)
  const handle = await source.handle()
  const { records, used } = await readPlaces(handle, state, file, places, query.previews ?? false)
  const next = ('last' in query ? end - places.length : from) + used
  return {
    records,
    total: index.count,
    nextSeq: next < end ? (index.at(next)?.seq ?? null) : null,
    damage: state.damage.list(file, query.throughSeq),
  }
}

/** Yields all records from a seq to the one that is last when the iteration begins. */
export async function* readRecords(
  source: RecordSource,
  fromSeq = 1,
): AsyncGenerator<JournalRecord> {
  const { lastSeq } = source.state()
  let seq = fromSeq
  let rescanned = false
  for (;;) {
    const state = source.state()
    const { index } = state
    const from = index.ordinalFrom(seq)
    const places = take(state, from, index.ordinalFrom(lastSeq + 1), stepBytes)
    if (places.length === 0) return
    const { records, used } = await readPlaces(
      await source.handle(),
      state,
      source.file,
      places,
      false,
    )
    if (state.changed.size > 0 && !rescanned) {
      rescanned = true
      if (await source.rescan(state)) continue
    }
    yield* records
    seq = (places[used - 1]?.seq ?? lastSeq) + 1
  }
}

/** Returns the checksum of the record with this seq, or null if it can't be read. */
export async function readSum(
  handle: FileHandle,
  state: ScanState,
  seq: number,
): Promise<string | null> {
  const place = state.index.at(state.index.ordinalFrom(seq))
  if (place?.seq !== seq) return null
  const buffer = await readRange(handle, place.start, place.end)
  const whole = place.end - place.start <= buffer.length ? readLine(buffer, 0, buffer.length) : null
  return whole?.seq === seq ? whole.sum : null
}

function wholeNumber(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`a page holds a whole number of records, not ${count}`)
  return count
}

function take(state: ScanState, from: number, to: number, bytesMax: number): RecordPlace[] {
  const places: RecordPlace[] = []
  let bytes = 0
  for (let ordinal = from; ordinal < to; ordinal++) {
    const place = state.index.at(ordinal)
    if (!place) break
    bytes += place.end - place.start
    if (bytes > bytesMax && places.length > 0) break
    places.push(place)
  }
  return places
}

/** Like `take`, from the end. */
function takeLast(state: ScanState, from: number, to: number, bytesMax: number): RecordPlace[] {
  let first = to
  for (let bytes = 0; first > from; first--) {
    const place = state.index.at(first - 1)
    if (!place) break
    bytes += place.end - place.start
    if (bytes > bytesMax && first < to) break
  }
  return take(state, first, to, Number.POSITIVE_INFINITY)
}

/** Reads the records at these places until their values fill a page; `used` counts the places read. */
async function readPlaces(
  handle: FileHandle,
  state: ScanState,
  file: string,
  places: RecordPlace[],
  previews: boolean,
): Promise<{ records: JournalRecord[]; used: number }> {
  const records: JournalRecord[] = []
  let used = 0
  let blobBytes = 0
  for (const run of runs(places)) {
    const buffer = await readRange(handle, run.start, run.end + 1)
    for (const place of run.places) {
      const record = readPlace(buffer, run.start, place, state.fromIndex)
      const references = record && !previews ? blobReferences(record) : []
      blobBytes += totalBytes(references)
      if (blobBytes > pageBytesMax && used > 0) return { records, used }
      if (!record) await noteChanged(handle, state, place)
      else {
        if (references.length > 0) await restoreValues(handle, state, file, place, record)
        records.push(record)
      }
      used += 1
    }
  }
  return { records, used }
}

function readPlace(
  buffer: Buffer,
  bufferStart: number,
  { seq, start, end, fingerprint }: RecordPlace,
  fromIndex: boolean,
): JournalRecord | null {
  const [from, to] = [start - bufferStart, end - bufferStart]
  // A scan has checked the newline; a stored index only implies its offset.
  if (fromIndex && buffer[to] !== newlineByte) return null
  const whole = to <= buffer.length ? readLine(buffer, from, to) : null
  return whole?.seq === seq && fingerprintOf(whole.sum) === fingerprint
    ? parseLine(buffer, from, to)
    : null
}

async function restoreValues(
  handle: FileHandle,
  state: ScanState,
  file: string,
  { seq, start }: RecordPlace,
  record: JournalRecord,
): Promise<void> {
  const lost = await restoreBlobs(blobDirectory(file), record)
  if (lost.length === 0 || state.lostValues.has(seq)) return
  state.lostValues.add(seq)
  state.damage.note({
    row: 'unreadable',
    line: await lineAt(handle, start),
    bytes: totalBytes(lost),
    cause: `only the beginning of a long value: ${lost.map(({ sha256 }) => `blobs/${sha256}`).join(', ')} is missing or damaged`,
    afterSeq: seq - 1,
    missing: null,
  })
}

interface Run {
  start: number
  end: number
  places: RecordPlace[]
}

function runs(places: RecordPlace[]): Run[] {
  const found: Run[] = []
  for (const place of places) {
    const last = found.at(-1)
    if (last && place.start >= last.end && place.start - last.end <= gapBytesMax) {
      last.end = place.end
      last.places.push(place)
    } else found.push({ start: place.start, end: place.end, places: [place] })
  }
  return found
}

/** Notes as damage that the line changed on disk after it was indexed. */
async function noteChanged(
  handle: FileHandle,
  state: ScanState,
  { seq, start, end }: RecordPlace,
): Promise<void> {
  if (state.changed.has(seq)) return
  state.changed.add(seq)
  state.damage.note({
    row: 'unreadable',
    line: await lineAt(handle, start),
    bytes: end - start,
    cause: 'changed since the journal was opened',
    afterSeq: seq - 1,
    missing: { fromSeq: seq, toSeq: seq },
  })
}

async function lineAt(handle: FileHandle, offset: number): Promise<number> {
  let line = 1
  for await (const chunk of chunksOf(handle, 0, offset)) {
    for (let nl = chunk.indexOf(newlineByte); nl !== -1; nl = chunk.indexOf(newlineByte, nl + 1))
      line += 1
  }
  return line
}
