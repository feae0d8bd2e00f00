// Reads a journal forward, checks every line by its checksum, and builds the offset index. Valid
// lines are not parsed; damaged ones go through the recovery table. See FORMAT.md.
import type { FileHandle } from 'node:fs/promises'
import { createDamageLog, type DamageLog } from './damage-log.ts'
import { fingerprintOf } from './fingerprint.ts'
import {
  findLineEnds,
  findLineStarts,
  firstPreviousSum,
  newlineByte,
  readLine,
  readStub,
  repeatedSum,
  type WholeLine,
} from './line.ts'
import { createOffsetIndex, type OffsetIndex } from './offsets.ts'
import { type RowName, recoveryRow, type Situation } from './recovery.ts'

/**
 * Bytes per read: large enough that call overhead is negligible, small enough not to block the
 * event loop.
 */
const chunkBytes = 1 << 20
/** A longer line can only be damage and is skipped without being held in memory. */
const lineBytesMax = 256 << 20
/** Failed candidates checked within one damaged line, because each one costs a hash. */
const missesMax = 64

/**
 * The state after reading up to `offset`. A scan can continue from any such state, including one
 * that was loaded from a stored index.
 */
export interface ScanState {
  index: OffsetIndex
  damage: DamageLog
  /** Bytes read: the end of the last newline. */
  offset: number
  lines: number
  /** Highest seq read; 0 before the first. */
  lastSeq: number
  /** The sum that the record after `lastSeq` must repeat. */
  previousSum: string
  /** Lines without a readable record since the last readable record. */
  unreadableLines: number
  afterUnreadable: boolean
  /** Seqs whose line was valid when scanned and not when read later. */
  changed: Set<number>
  /** Seqs whose blobs were found missing when read. */
  lostValues: Set<number>
  /** Whether the first part of `index` was loaded from a stored index instead of the journal. */
  fromIndex: boolean
  /**
   * Stubs of withheld records; null if a stub counts as damage, because only an export holds any.
   */
  withheld: number | null
}

export function createScanState({ stubs = false, index = createOffsetIndex() } = {}): ScanState {
  return {
    index,
    damage: createDamageLog(),
    offset: 0,
    lines: 0,
    lastSeq: 0,
    previousSum: firstPreviousSum,
    unreadableLines: 0,
    afterUnreadable: false,
    changed: new Set(),
    lostValues: new Set(),
    fromIndex: false,
    withheld: stubs ? 0 : null,
  }
}

/**
 * Reads from `state.offset` to `until` or the end of the file. Returns the bytes after the last
 * newline before that.
 */
export async function scanForward(
  handle: FileHandle,
  state: ScanState,
  until = Number.POSITIVE_INFINITY,
): Promise<number> {
  /** The first part of a line whose end has not been read yet. */
  let begun: Buffer[] = []
  let begunBytes = 0
  let passedOver = 0
  for await (const { buffer, to } of readAhead(handle, state.offset, until)) {
    let start = 0
    let newline = buffer.indexOf(newlineByte)
    // Bytes after `to` belong to an earlier chunk.
    if (newline !== -1 && newline < to) {
      if (passedOver > 0) absorbPassedOver(state, passedOver + begunBytes + newline)
      else if (begunBytes > 0) absorbBegunLine(state, begun, buffer.subarray(0, newline))
      else absorbLine(state, buffer, 0, newline)
      begun = []
      begunBytes = passedOver = 0
      start = newline + 1
      newline = buffer.indexOf(newlineByte, start)
    }
    for (; newline !== -1 && newline < to; newline = buffer.indexOf(newlineByte, start)) {
      absorbLine(state, buffer, start, newline)
      start = newline + 1
    }
    if (start === to) continue
    // Copied, because the chunk's memory is reused.
    begun.push(Buffer.from(buffer.subarray(start, to)))
    begunBytes += to - start
    if (begunBytes < lineBytesMax) continue
    passedOver += begunBytes
    begun = []
    begunBytes = 0
  }
  return passedOver + begunBytes
}

/**
 * Reads the next chunk while the current one is processed, because hashing takes as long as
 * reading.
 */
async function* readAhead(handle: FileHandle, offset: number, until: number) {
  const { size } = await handle.stat()
  // No larger than the rest of the file, because most journals are small and thousands may be
  // opened at once. One byte more detects the end of the file.
  const length = Math.min(chunkBytes, Math.max(0, size - offset) + 1)
  let [buffer, other] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)]
  let position = offset
  const readInto = (into: Buffer) => {
    const reading = handle.read(into, 0, Math.min(length, until - position), position)
    // The error is reported when the chunk is awaited, which may never happen.
    reading.catch(() => undefined)
    return reading
  }
  for (let reading = readInto(buffer); ; ) {
    const { bytesRead } = await reading
    if (bytesRead === 0) return
    position += bytesRead
    reading = readInto(other)
    yield { buffer, to: bytesRead }
    ;[buffer, other] = [other, buffer]
  }
}

function absorbBegunLine(state: ScanState, begun: Buffer[], end: Buffer): void {
  const line = Buffer.concat([...begun, end])
  absorbLine(state, line, 0, line.length)
}

/** Returns the seq of the next appended record. Each unreadable line at the end reserves one. */
export function nextSeq(state: ScanState): number {
  return state.lastSeq + state.unreadableLines + 1
}

/** Processes one line: bytes `start`..`end` of `buffer`, at `state.offset` in the file. */
function absorbLine(state: ScanState, buffer: Buffer, start: number, end: number): void {
  const whole =
    readLine(buffer, start, end) ?? (state.withheld === null ? null : readStub(buffer, start, end))
  const line = { start: state.offset, end: state.offset + (end - start) }
  state.lines += 1
  if (whole && whole.seq === state.lastSeq + 1 && whole.previousSum === state.previousSum)
    admit(state, whole, line.start, line.end)
  else if (whole) absorbRecord(state, whole, line.start, line.end, false)
  else absorbDamagedLine(state, buffer, start, end)
  state.offset = line.end + 1
}

function absorbDamagedLine(state: ScanState, buffer: Buffer, start: number, end: number): void {
  const toFile = state.offset - start
  let recordBefore = false
  let readable = false
  for (const piece of splitDamagedLine(buffer, start, end)) {
    if (piece.whole) {
      absorbRecord(state, piece.whole, piece.start + toFile, piece.end + toFile, recordBefore)
      readable = true
    } else {
      noteUnreadable(state, piece.end - piece.start, describe(buffer, piece, start))
    }
    recordBefore = piece.whole !== null
  }
  if (!readable) state.unreadableLines += 1
}

function absorbPassedOver(state: ScanState, bytes: number): void {
  state.lines += 1
  noteUnreadable(state, bytes, 'a line longer than any record')
  state.unreadableLines += 1
  state.offset += bytes + 1
}

function noteUnreadable(state: ScanState, bytes: number, cause: string): void {
  state.damage.note({
    row: 'unreadable',
    line: state.lines,
    bytes,
    cause,
    afterSeq: state.lastSeq,
    missing: null,
  })
  state.afterUnreadable = true
}

/** Looks up a valid record in the recovery table, because its neighbors may be damaged. */
function absorbRecord(
  state: ScanState,
  whole: WholeLine,
  start: number,
  end: number,
  glued: boolean,
): void {
  const situation: Situation = {
    ended: true,
    whole: true,
    seq: seqFact(state, whole.seq),
    chain: whole.previousSum === state.previousSum ? 'follows' : 'breaks',
    afterUnreadable: state.afterUnreadable,
    glued,
  }
  const row = recoveryRow(situation)
  if (row.tell === 'damage') {
    const missing =
      row.name === 'missing-before' ? { fromSeq: state.lastSeq + 1, toSeq: whole.seq - 1 } : null
    state.damage.note({
      row: row.name,
      line: state.lines,
      bytes: row.read ? 0 : end - start,
      cause: causes[row.name] ?? row.name,
      afterSeq: Math.min(state.lastSeq, whole.seq - 1),
      missing,
    })
  }
  if (row.tell === 'ends-damage') state.damage.endsBefore(state.lastSeq + 1, whole.seq - 1)
  if (row.name === 'out-of-place') admitToIndex(state, whole, start, end)
  else if (row.read) admit(state, whole, start, end)
}

const causes: Partial<Record<RowName, string>> = {
  glued: 'records share this line: the newline between them is gone; all of them were read',
  'replaced-before': 'the chain does not lead here: the line before was replaced',
  'missing-before': 'lines are missing before this one',
  'out-of-place': 'this record stands out of order; it is read in its place',
  copy: 'a record with a seq that was read before: a copied line or a second writer',
}

type AdmittedLine = Pick<WholeLine, 'seq' | 'sum' | 'withheld'>

/** Makes a record the last one. Also called for each appended record once it is durable. */
function admit(state: ScanState, line: AdmittedLine, start: number, end: number): void {
  admitToIndex(state, line, start, end)
  state.lastSeq = line.seq
  state.previousSum = repeatedSum(line.sum)
  state.unreadableLines = 0
  state.afterUnreadable = false
}

function admitToIndex(state: ScanState, line: AdmittedLine, start: number, end: number): void {
  if (!line.withheld)
    state.index.add({ seq: line.seq, start, end, fingerprint: fingerprintOf(line.sum) })
  else if (state.withheld !== null) state.withheld += 1
}

/**
 * Like `admit`, and moves the end of the file past the appended line. `bytes` includes the newline.
 */
export function admitAppended(state: ScanState, seq: number, sum: string, bytes: number): void {
  const start = state.offset
  if (state.afterUnreadable && seq > state.lastSeq + 1)
    state.damage.endsBefore(state.lastSeq + 1, seq - 1)
  admit(state, { seq, sum, withheld: false }, start, start + bytes - 1)
  state.lines += 1
  state.offset = start + bytes
}

function seqFact(state: ScanState, seq: number): Situation['seq'] {
  if (seq === state.lastSeq + 1) return 'next'
  if (seq > state.lastSeq) return 'ahead'
  return state.index.has(seq) ? 'taken' : 'missed'
}

interface Piece {
  start: number
  end: number
  whole: WholeLine | null
}

/** Finds valid records within an invalid line: glued records, or one after a torn start. */
function splitDamagedLine(buffer: Buffer, start: number, end: number): Piece[] {
  const text = buffer.toString('latin1', start, end)
  const starts = findLineStarts(text)
  const pieces: Piece[] = []
  let cursor = 0
  let nextStart = 0
  let misses = 0
  for (const recordEnd of findLineEnds(text)) {
    while ((starts[nextStart] ?? recordEnd) < recordEnd) nextStart += 1
    // The nearest start is the most likely; a look-alike inside a record fails its checksum.
    for (let nth = nextStart - 1; nth >= 0 && misses < missesMax; nth--) {
      const recordStart = starts[nth] ?? 0
      if (recordStart < cursor) break
      const whole = readLine(buffer, start + recordStart, start + recordEnd)
      if (!whole) {
        misses += 1
        continue
      }
      if (recordStart > cursor)
        pieces.push({ start: start + cursor, end: start + recordStart, whole: null })
      pieces.push({ start: start + recordStart, end: start + recordEnd, whole })
      cursor = recordEnd
      break
    }
    if (misses === missesMax) break
  }
  if (start + cursor < end || pieces.length === 0)
    pieces.push({ start: start + cursor, end, whole: null })
  return pieces
}

function describe(buffer: Buffer, { start, end }: Piece, lineStart: number): string {
  const bytes = buffer.subarray(start, end)
  if (bytes.length === 0) return 'an empty line'
  if (bytes.length === 1 && bytes[0] === 0x0d) return 'the line ends with CR LF'
  if (start === lineStart && bytes.equals(byteOrderMark)) return 'a byte order mark'
  if (bytes.includes(0)) return 'zero bytes where a record should be'
  if (readStub(buffer, start, end)) return 'a record was withheld here, as in an export'
  return 'bad checksum'
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
