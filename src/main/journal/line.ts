// See FORMAT.md for the grammar of a line.
import { hash, randomFillSync } from 'node:crypto'
import { type Blob, extractBlobs, valueBytesMax } from './blobs.ts'
import { InvalidRecordError } from './errors.ts'
import type { JournalRecord, RecordBody } from './types.ts'

/** The version of records whose body gives none. */
const recordVersion = 1

/** Characters of the previous line's sum that a line repeats: 132 bits, too many to collide. */
const previousSumLength = 22
/** 128 bits in base64url without padding. */
const saltLength = 22
const saltBytes = 16
/** A SHA-256 in base64url without padding. */
const sumLength = 43

/** Ends a line. */
export const newlineByte = 0x0a

/** Takes the place of the previous sum in a journal's first line. */
export const firstPreviousSum = 'shiplog.journal.begins'

const saltLabel = ',"salt":"'
const previousLabel = ',"prev":"'
const sumLabel = '","sum":"'
const lineEnd = '"}'

/** Length of the part from `,"prev":"` to `"}`, which the hash of a record does not cover. */
const linkLength =
  previousLabel.length + previousSumLength + sumLabel.length + sumLength + lineEnd.length
/**
 * Length of the part from `,"salt":"` to `"}`. It is the same in every line, so the chain is found
 * without parsing.
 */
const chainLength = saltLabel.length + saltLength + 1 + linkLength

/** Stubs are much shorter; longer lines are not checked for one. */
const stubBytesMax = 256
/** Between a stub's seq and its chain: the hash of the withheld record. */
const stubPattern = /^\{"v":0,"seq":(\d{1,16}),"withheld":"([\w-]{43})"$/

/** A validated body as JSON. The texts hold its members without the braces. */
export interface PreparedRecord {
  v: number
  at: number
  /** As written to the line. */
  text: string
  /** The length of `text` in UTF-8. */
  textBytes: number
  /** As returned to the reader; differs from `text` if values were moved to blobs. */
  wholeText: string
  /** The length of `wholeText` in UTF-8. */
  wholeBytes: number
  /** Must be durable before the line is written. */
  blobs: Blob[]
}

/** A line with a valid checksum. */
export interface WholeLine {
  seq: number
  /** The repeated part of the previous line's sum. */
  previousSum: string
  sum: string
  /** Whether the line is a stub that an export left in place of a record. */
  withheld: boolean
}

/** Returns 22 unpredictable characters of base64url. */
export type NewSalt = () => string

/**
 * Validates a body and serializes it at once, so that later changes by the caller are not written.
 * Throws InvalidRecordError.
 */
export function prepareRecord(body: RecordBody, now: number): PreparedRecord {
  if (typeof body.type !== 'string' || body.type === '')
    throw new InvalidRecordError('a record needs a type, a string that is not empty')
  for (const name of ['seq', 'salt', 'prev', 'sum', 'blobs'])
    if (Object.hasOwn(body, name))
      throw new InvalidRecordError(`"${name}" is the journal's own and cannot be appended`)
  const { v = recordVersion, at = now, ...rest } = body
  if (!Number.isSafeInteger(v) || Number(v) < 1)
    throw new InvalidRecordError(`v must be a whole number from 1 on, not ${String(v)}`)
  if (typeof at !== 'number' || !Number.isFinite(at))
    throw new InvalidRecordError(`at must be milliseconds since the epoch, not ${String(at)}`)
  const json = stringify(rest)
  const wholeText = json.slice(1, -1)
  const wholeBytes = Buffer.byteLength(wholeText)
  const whole = { v: Number(v), at, wholeText, wholeBytes }
  if (wholeBytes <= valueBytesMax)
    return { ...whole, text: wholeText, textBytes: wholeBytes, blobs: [] }
  const fields = JSON.parse(json)
  const blobs = extractBlobs(fields)
  const text = stringify(fields).slice(1, -1)
  return { ...whole, text, textBytes: Buffer.byteLength(text), blobs }
}

/** Returns the record as a reader will get it. */
export function recordOf(prepared: PreparedRecord, seq: number): JournalRecord {
  return JSON.parse(`${head(prepared, seq)}${prepared.wholeText}}`) as JournalRecord
}

/** A line of a block that `encodeLines` made. */
interface EncodedLine {
  seq: number
  sum: string
  /** With the newline. */
  bytes: number
}

/**
 * Returns the bytes of consecutive lines, newlines included. All lines share one block, because allocating a buffer for
 * each line costs more than encoding it. `newBlock` returns its memory.
 */
export function encodeLines(
  records: readonly PreparedRecord[],
  firstSeq: number,
  previousSum: string,
  {
    newSalt = randomSalt,
    newBlock = Buffer.allocUnsafe,
  }: { newSalt?: NewSalt | undefined; newBlock?: (bytes: number) => Buffer } = {},
): { block: Buffer; lines: EncodedLine[] } {
  const room = records.reduce(
    (sum, { textBytes }) => sum + headBytesMax + textBytes + chainLength + 1,
    0,
  )
  const block = newBlock(room)
  const lines: EncodedLine[] = []
  let previous = previousSum
  let start = 0
  for (const [nth, record] of records.entries()) {
    const seq = firstSeq + nth
    let end = start + block.write(head(record, seq), start, 'latin1')
    end += block.write(record.text, end)
    end += block.write(`${saltLabel}${newSalt()}"`, end, 'latin1')
    const sum = sumOf(previous, hashOf(block.subarray(start, end)))
    end += block.write(`${previousLabel}${previous}${sumLabel}${sum}${lineEnd}\n`, end, 'latin1')
    lines.push({ seq, sum, bytes: end - start })
    previous = repeatedSum(sum)
    start = end
  }
  return { block: block.subarray(0, start), lines }
}

/** Returns the part of a sum that the next line repeats. */
export function repeatedSum(sum: string): string {
  return sum.slice(0, previousSumLength)
}

/** Returns the hash of a record: of its line's bytes before `,"prev":"`. */
const hashOf = (covered: Buffer): string => hash('sha256', covered, 'base64url')

/**
 * Covers the record's hash instead of its bytes, so that the chain holds where a record is
 * withheld.
 */
const sumOf = (previousSum: string, recordHash: string): string =>
  hash('sha256', previousSum + recordHash, 'base64url')

/**
 * Salts generated per call, because a call of the random generator costs more than hashing a
 * record.
 */
const saltsAtOnce = 256
const salts = Buffer.alloc(saltBytes * saltsAtOnce)
let saltsUsed = saltsAtOnce

function randomSalt(): string {
  if (saltsUsed === saltsAtOnce) {
    randomFillSync(salts)
    saltsUsed = 0
  }
  const start = saltsUsed++ * saltBytes
  return salts.toString('base64url', start, start + saltBytes)
}

/**
 * Checks the line in `buffer` from `start` to `end` (newline excluded) by its checksum, without
 * parsing it (J3). Returns null if it is not valid.
 */
export function readLine(buffer: Buffer, start: number, end: number): WholeLine | null {
  const seq = readSeq(buffer, start, end)
  if (seq === null || end - start < chainLength) return null
  const chain = buffer.toString('latin1', end - chainLength, end)
  if (!chain.startsWith(saltLabel)) return null
  const link = readLink(chain.slice(-linkLength))
  if (!link) return null
  const covered = buffer.subarray(start, end - linkLength)
  if (sumOf(link.previousSum, hashOf(covered)) !== link.sum) return null
  return { seq, ...link, withheld: false }
}

/**
 * Reads the stub that an export leaves in place of a withheld record. Returns null if the line is
 * not a valid stub.
 */
export function readStub(buffer: Buffer, start: number, end: number): WholeLine | null {
  if (end - start > stubBytesMax) return null
  const line = buffer.toString('latin1', start, end)
  const stub = stubPattern.exec(line.slice(0, -linkLength))
  const link = readLink(line.slice(-linkLength))
  if (!stub || !link) return null
  const [, seq, recordHash = ''] = stub
  if (sumOf(link.previousSum, recordHash) !== link.sum) return null
  return { seq: Number(seq), ...link, withheld: true }
}

/**
 * Returns the stub that takes the place of a withheld record: the line in `buffer` from `start` to `end`, which
 * `readLine` found valid. No newline is included.
 */
export function stubOf(buffer: Buffer, start: number, end: number): string {
  const covered = buffer.subarray(start, end - linkLength)
  const link = buffer.toString('latin1', end - linkLength, end)
  return `{"v":0,"seq":${readSeq(buffer, start, end)},"withheld":"${hashOf(covered)}"${link}`
}

/** Parses a line that `readLine` found valid. Returns what was appended, without the chain. */
export function parseLine(buffer: Buffer, start: number, end: number): JournalRecord {
  return JSON.parse(`${buffer.toString('utf8', start, end - chainLength)}}`) as JournalRecord
}

/** Returns the offsets in `text` (latin1) at which a line may begin within a damaged stretch. */
export function findLineStarts(text: string): number[] {
  return [...text.matchAll(/\{"v":\d{1,15},"seq":\d{1,16},"at":/g)].map((match) => match.index)
}

/** Returns the offsets in `text` (latin1) after which a line may end, without its newline. */
export function findLineEnds(text: string): number[] {
  const chain = /,"salt":"[\w-]{22}","prev":"[^"]{22}","sum":"[\w-]{43}"\}/g
  return [...text.matchAll(chain)].map((match) => match.index + chainLength)
}

/** Upper bound of `head`: three numbers of at most 24 characters each, with their labels. */
const headBytesMax = 100

function head({ v, at }: PreparedRecord, seq: number): string {
  return `{"v":${v},"seq":${seq},"at":${at},`
}

function stringify(value: object): string {
  if ('toJSON' in value)
    throw new InvalidRecordError('a record must be plain: toJSON is not called on it')
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new InvalidRecordError('a record must be JSON: no cycles, no BigInt', cause)
  }
}

/** Reads the last `linkLength` characters of a line. */
function readLink(text: string): { previousSum: string; sum: string } | null {
  const sumAt = previousLabel.length + previousSumLength
  if (!text.startsWith(previousLabel) || !text.startsWith(sumLabel, sumAt)) return null
  if (!text.endsWith(lineEnd)) return null
  return {
    previousSum: text.slice(previousLabel.length, sumAt),
    sum: text.slice(sumAt + sumLabel.length, -lineEnd.length),
  }
}

const opening = Buffer.from('{"v":')
const seqLabel = Buffer.from(',"seq":')

/** Reads the seq, digit by digit, from its place right after `v`. */
function readSeq(buffer: Buffer, start: number, end: number): number | null {
  if (!matchesAt(buffer, start, opening)) return null
  const afterVersion = skipDigits(buffer, start + opening.length, end)
  if (!matchesAt(buffer, afterVersion, seqLabel)) return null
  const from = afterVersion + seqLabel.length
  const to = skipDigits(buffer, from, end)
  if (to === from) return null
  const seq = Number(buffer.toString('latin1', from, to))
  return Number.isSafeInteger(seq) && seq > 0 ? seq : null
}

function matchesAt(buffer: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (buffer[at + i] !== expected[i]) return false
  return true
}

function skipDigits(buffer: Buffer, from: number, end: number): number {
  let at = from
  for (; at < end; at++) {
    const byte = buffer[at] ?? 0
    if (byte < 0x30 || byte > 0x39) break
  }
  return at
}
