// See FORMAT.md for the grammar of a line.
import { hash } from 'node:crypto'
import { type Blob, takeOutBlobs, valueBytesMax } from './blobs.ts'
import { InvalidRecordError } from './errors.ts'
import type { JournalRecord, RecordBody } from './types.ts'

/** The version stamped on records whose body names none. */
const recordVersion = 1

/** Characters of the previous line's sum that a line repeats: 132 bits, beyond any chance of a twin. */
const linkLength = 22
/** A SHA-256 in base64url without padding. */
const sumLength = 43

/** Ends a line. */
export const newlineByte = 0x0a

/** The link of a journal's first line, which has no line before it. */
export const firstLink = 'shiplog.journal.begins'

const linkLabel = ',"prev":"'
const sumLabel = '","sum":"'
const lineEnd = '"}'

/** From `,"prev":"` to `"}`: the same length in every line, so it is found without parsing. */
const chainLength = linkLabel.length + linkLength + sumLabel.length + sumLength + lineEnd.length
/** From `,"sum":"` to `"}`: what the checksum does not cover. */
const uncoveredLength = sumLabel.length - 1 + sumLength + lineEnd.length

/** A body that was checked and turned to JSON. Texts hold its members without the braces. */
export interface PreparedRecord {
  v: number
  at: number
  /** As the line holds it. */
  text: string
  /** As the reader gets it: differs from `text` when values went to blobs. */
  wholeText: string
  /** To be durable before the line is written. */
  blobs: Blob[]
}

/** A line whose checksum is right. `end` excludes the newline. */
export interface WholeLine {
  seq: number
  link: string
  sum: string
}

/**
 * Checks a body and turns it into JSON at once, so that what the caller changes later is not
 * written. Throws InvalidRecordError.
 */
export function prepareRecord(body: RecordBody, now: number): PreparedRecord {
  if (typeof body.type !== 'string' || body.type === '')
    throw new InvalidRecordError('a record needs a type, a string that is not empty')
  for (const name of ['seq', 'prev', 'sum', 'blobs'])
    if (Object.hasOwn(body, name))
      throw new InvalidRecordError(`"${name}" is the journal's own and cannot be appended`)
  const { v = recordVersion, at = now, ...rest } = body
  if (!Number.isSafeInteger(v) || Number(v) < 1)
    throw new InvalidRecordError(`v must be a whole number from 1 on, not ${String(v)}`)
  if (typeof at !== 'number' || !Number.isFinite(at))
    throw new InvalidRecordError(`at must be milliseconds since the epoch, not ${String(at)}`)
  const json = stringify(rest)
  const wholeText = json.slice(1, -1)
  if (Buffer.byteLength(json) <= valueBytesMax)
    return { v: Number(v), at, text: wholeText, wholeText, blobs: [] }
  const fields = JSON.parse(json)
  const blobs = takeOutBlobs(fields)
  return { v: Number(v), at, text: stringify(fields).slice(1, -1), wholeText, blobs }
}

/** The record as a reader will give it back. */
export function recordOf(prepared: PreparedRecord, seq: number): JournalRecord {
  return JSON.parse(`${head(prepared, seq)}${prepared.wholeText}}`) as JournalRecord
}

/** The bytes of one line, newline included, and its sum for the next line to link to. */
export function encodeLine(
  prepared: PreparedRecord,
  seq: number,
  link: string,
): { bytes: Buffer; sum: string } {
  const covered = `${head(prepared, seq)}${prepared.text}${linkLabel}${link}"`
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(covered) + uncoveredLength + 1)
  const end = bytes.write(covered, 0)
  const sum = hash('sha256', bytes.subarray(0, end), 'base64url')
  bytes.write(`${sumLabel.slice(1)}${sum}${lineEnd}\n`, end, 'latin1')
  return { bytes, sum }
}

/** What the line after one with this sum repeats. */
export function linkTo(sum: string): string {
  return sum.slice(0, linkLength)
}

/**
 * Checks the line in `buffer` from `start` to `end` (newline excluded) by its checksum, without
 * parsing it (J3). Null when it is not whole.
 */
export function readLine(buffer: Buffer, start: number, end: number): WholeLine | null {
  const seq = readSeq(buffer, start, end)
  if (seq === null || end - start < chainLength) return null
  const chain = buffer.toString('latin1', end - chainLength, end)
  if (!isChain(chain)) return null
  const sum = chain.slice(-sumLength - lineEnd.length, -lineEnd.length)
  const covered = buffer.subarray(start, end - uncoveredLength)
  if (hash('sha256', covered, 'base64url') !== sum) return null
  return { seq, link: chain.slice(linkLabel.length, linkLabel.length + linkLength), sum }
}

/** The record in a line that `readLine` found whole: chain left out, exactly what was appended. */
export function parseLine(buffer: Buffer, start: number, end: number): JournalRecord {
  return JSON.parse(`${buffer.toString('utf8', start, end - chainLength)}}`) as JournalRecord
}

/** Where lines that share a damaged stretch may begin and end; offsets into `text` (latin1). */
export function findLineStarts(text: string): number[] {
  return [...text.matchAll(/\{"v":\d{1,15},"seq":\d{1,16},"at":/g)].map((match) => match.index)
}

export function findLineEnds(text: string): number[] {
  const chain = /,"prev":"[^"]{22}","sum":"[\w-]{43}"\}/g
  return [...text.matchAll(chain)].map((match) => match.index + chainLength)
}

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

function isChain(chain: string): boolean {
  return (
    chain.startsWith(linkLabel) &&
    chain.startsWith(sumLabel, linkLabel.length + linkLength) &&
    chain.endsWith(lineEnd)
  )
}

const opening = Buffer.from('{"v":')
const seqLabel = Buffer.from(',"seq":')

/** The seq stands at the line's start, right after `v`: read there, digit by digit. */
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
