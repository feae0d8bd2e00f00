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
  const content = file.content
    ? [file.content]
    : contentOf(file.path, {
        onDamage(reason) {
          damage = reason
        },
      })
  for await (const lines of lineBatchesOf(content, { lineBytesMax, tail: true })) {
    signal.throwIfAborted()
    const pieces: Piece[] = []
    for (const bytes of lines) {
      line++
      if (bytes === null) {
        const damage = `longer than ${lineBytesMax >> 20} MB`
        pieces.push({ line, bytes: lineBytesMax, damage, text: '' })
        continue
      }
      const text = bytes.toString('utf8')
      const whole = parseJson(text)
      if (isRecord(whole)) pieces.push(pieceOf(whole, text, { line, bytes: bytes.length + 1 }))
      else pieces.push(...piecesOf(text, line, bytes.length + 1, isRecordOf))
    }
    yield pieces
  }
  if (damage !== null) yield [{ line: line + 1, bytes: 0, damage, text: '' }]
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
