/** Reads other tools' JSON Lines and tolerates torn lines, several records on one line, and runs of NUL bytes. */
import { lineBatchesOf } from '../../journal/index.ts'
import type { SourceFile } from './adapter.ts'
import { contentOf } from './source-content.ts'
import { isRecord, isTooDeep, parseJson } from './values.ts'

export type Piece = {
  /** From 1. */
  line: number
  bytes: number
} & (
  | { record: Record<string, unknown>; damage?: undefined }
  /** An unreadable piece. `text`: its beginning. */
  | { record?: undefined; damage: string; text: string }
)

/** The longest line that can be parsed within an import's memory limit. No tool writes longer lines. */
const lineBytesMax = 48 << 20
/**
 * Bytes of lines that are parsed together. Objects that are in use when V8 collects young ones are copied twice, so a
 * batch ends well before the next collection: the records of a megabyte would take longer to copy than to parse.
 */
const batchBytes = 128 << 10
/** Characters kept of an unreadable line. */
const damagedCharsMax = 2_000
/** Limit of characters scanned for the records of one line: about half a second. */
const scannedCharsMax = 300_000_000

/**
 * Yields batches of a file's records and unreadable pieces, in order. `isRecordOf` recognizes a record of the tool, so
 * that a nested object of a torn record is not mistaken for a record.
 */
export async function* readPieces(
  file: Pick<SourceFile, 'path' | 'content'>,
  isRecordOf: (value: Record<string, unknown>) => boolean,
  signal: AbortSignal,
): AsyncGenerator<Piece[]> {
  let line = 0
  let damage: string | null = null
  const lines = file.content
    ? linesOf(file.content)
    : linesFrom(
        contentOf(file.path, {
          onDamage(reason) {
            damage = reason
          },
        }),
      )
  for await (const batch of lines) {
    signal.throwIfAborted()
    const pieces: Piece[] = []
    for (const { text, bytes } of batch) {
      line++
      if (text === null) {
        const damage = `longer than ${lineBytesMax >> 20} MB`
        pieces.push({ line, bytes, damage, text: '' })
        continue
      }
      const whole = parseJson(text)
      if (isRecord(whole)) pieces.push(pieceOf(whole, text, { line, bytes }))
      else pieces.push(...piecesOf(text, line, bytes, isRecordOf))
    }
    yield pieces
  }
  if (damage !== null) yield [{ line: line + 1, bytes: 0, damage, text: '' }]
}

/** `bytes`: with the newline. `text`: without it; null: the line is too long to be parsed. */
interface Line {
  text: string | null
  bytes: number
}

/** Yields batches of lines, decoded where they are: a buffer for each line costs more than finding it. */
function* linesOf(content: Buffer): Generator<Line[]> {
  for (let start = 0; start < content.length; ) {
    const batch: Line[] = []
    const batchEnd = Math.min(start + batchBytes, content.length)
    while (start < batchEnd) {
      const newline = content.indexOf(0x0a, start)
      const end = newline === -1 ? content.length : newline
      batch.push({ text: content.toString('utf8', start, end), bytes: end - start + 1 })
      start = end + 1
    }
    yield batch
  }
}

async function* linesFrom(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  for await (const lines of lineBatchesOf(chunks, { lineBytesMax, tail: true })) {
    let batch: Line[] = []
    let bytes = 0
    for (const line of lines) {
      const { length } = line ?? { length: lineBytesMax }
      batch.push({ text: line?.toString('utf8') ?? null, bytes: length + 1 })
      bytes += length
      if (bytes < batchBytes) continue
      yield batch
      batch = []
      bytes = 0
    }
    if (batch.length > 0) yield batch
  }
}

function pieceOf(
  record: Record<string, unknown>,
  json: string,
  place: { line: number; bytes: number },
): Piece {
  return isTooDeep(record, json)
    ? { ...place, damage: 'nested too deeply', text: beginningOf(json) }
    : { ...place, record }
}

const beginningOf = (text: string): string => text.trim().slice(0, damagedCharsMax).toWellFormed()

function* piecesOf(
  given: string,
  line: number,
  bytes: number,
  isRecordOf: (value: Record<string, unknown>) => boolean,
): Generator<Piece> {
  const text = given.replaceAll('\0', '')
  if (text.trim() === '') {
    if (given.includes('\0')) yield { line, bytes, damage: 'only NUL bytes', text: '' }
    return
  }
  const isDamaged = (part: string): boolean => part.trim() !== ''
  const damage = (part: string): Piece => ({
    line,
    bytes: Buffer.byteLength(part),
    damage: part.trimStart().startsWith('{') ? 'a torn record' : 'not a record',
    text: beginningOf(part),
  })
  let rest = 0
  let from = 0
  let scanned = 0
  while (scanned < scannedCharsMax) {
    const start = text.indexOf('{', from)
    if (start === -1) break
    const end = objectEnd(text, start)
    scanned += (end === -1 ? text.length : end) - start
    const value = end === -1 ? null : parseJson(text.slice(start, end))
    if (isRecord(value) && isRecordOf(value)) {
      const before = text.slice(rest, start)
      if (isDamaged(before)) yield damage(before)
      const json = text.slice(start, end)
      yield pieceOf(value, json, { line, bytes: Buffer.byteLength(json) })
      rest = end
      from = end
    } else from = start + 1
  }
  const left = text.slice(rest)
  if (isDamaged(left)) yield damage(left)
}

/** The index after the object that begins at `start`; -1: the object is unterminated. */
function objectEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b) depth++
    else if (code === 0x7d && --depth === 0) return at + 1
  }
  return -1
}
