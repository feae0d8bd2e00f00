/**
 * A streaming parser for an ATIF document, a single JSON value with all steps and sub-agents. Holds one step in memory.
 * Reports a malformed step, and resumes at the next step that begins a line.
 */
import { openDataFile } from '../../../journal/index.ts'
import { isRecord, isTooDeep, parseJson } from '../values.ts'

export type DocumentPiece = {
  /** The line where the piece begins, from 1. */
  line: number
  bytes: number
  /** Index of the trajectory in document order; 0 is the document's own. */
  trajectory: number
} & (
  | { kind: 'step'; step: Record<string, unknown> }
  /** The end of a trajectory: its fields except steps and embedded trajectories. */
  | { kind: 'fields'; fields: Record<string, unknown>; parent: number | null }
  /** `text`: its beginning. */
  | { kind: 'damage'; reason: string; text: string }
)

/** Longer values exceed an import's memory limit when parsed. */
const valueBytesMax = 48 << 20
const chunkBytes = 256 << 10
/** Bytes kept of an unreadable part. */
const damagedBytesMax = 2_000
/** Limit of nested trajectories, against stack exhaustion. */
const nestingMax = 64

/** Throws the system's error if the file can't be read. `signal` stops it. */
export async function* readAtif(path: string, signal: AbortSignal): AsyncGenerator<DocumentPiece> {
  const pieces: DocumentPiece[] = []
  const input = createInput()
  const parser = parseDocument(input, (piece) => pieces.push(piece))
  const handle = await openDataFile(path, 'read')
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let isOver = false; !isOver; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes)
      input.push(buffer.subarray(0, bytesRead))
      isOver = parser.next().done === true || bytesRead === 0
      yield* pieces.splice(0)
    }
  } finally {
    await handle.close()
  }
}

class Torn extends Error {}

/** A byte source for generators, which `yield` to request the next chunk. */
type Input = ReturnType<typeof createInput>
type Awaiting<T> = Generator<void, T>

function createInput() {
  let chunk: Uint8Array = Buffer.alloc(0)
  let at = 0
  let line = 1
  let column = 0
  let isOver = false

  return {
    push(next: Uint8Array): void {
      chunk = next
      at = 0
      isOver = next.length === 0
    },
    get line() {
      return line
    },
    /** Offset in the current line, in bytes. */
    get column() {
      return column
    },
    /** The next byte without consuming it; -1: end of file. */
    *peek(): Awaiting<number> {
      while (at >= chunk.length) {
        if (isOver) return -1
        yield
      }
      return chunk[at] ?? -1
    },
    skip(): void {
      if (chunk[at] === newline) {
        line++
        column = 0
      } else column++
      at++
    },
    /** The unread bytes of the current chunk. */
    rest: (): Uint8Array => chunk.subarray(at),
    /** Consumes bytes that contain no line break. */
    advance(bytes: number): void {
      at += bytes
      column += bytes
    },
  }
}

const [newline, quote, backslash, comma, colon] = [0x0a, 0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

function* parseDocument(input: Input, found: (piece: DocumentPiece) => void): Awaiting<void> {
  let count = 0

  function* trajectory(parent: number | null, depth: number): Awaiting<void> {
    const index = count++
    const fields: Record<string, unknown> = {}
    const { line } = input
    let bytes = 0
    try {
      if (depth > nestingMax) throw new Torn(`trajectories nested more than ${nestingMax} deep`)
      yield* expect(openBrace)
      while ((yield* next()) !== closeBrace) {
        const key = yield* name()
        yield* expect(colon)
        const first = yield* next()
        if (key === 'steps' && first === openBracket) {
          input.skip()
          yield* steps(index)
        } else if (key === 'subagent_trajectories' && first === openBracket) {
          input.skip()
          yield* elements(() => trajectory(index, depth + 1))
        } else {
          const value = yield* capture(null)
          bytes += value.bytes
          fields[key] = parseJson(value.text)
          if (fields[key] === undefined) throw new Torn('a field is not valid JSON')
          if (isTooDeep(fields[key], value.text.toString('latin1')))
            throw new Torn('a field is nested too deeply')
        }
        if ((yield* next()) === comma) input.skip()
      }
      input.skip()
    } finally {
      found({ kind: 'fields', line, bytes, trajectory: index, fields, parent })
    }
  }

  function* steps(index: number): Awaiting<void> {
    let indent: number | null = null
    for (;;) {
      yield* elements(function* () {
        indent ??= input.column
        yield* step(index, indent)
      })
      const after = yield* next()
      if (indent === null || after === comma || after === closeBrace) return
      // The steps ended with damage instead of a bracket.
      if (after !== openBrace) yield* skipToNextStep(indent)
    }
  }

  function* step(index: number, indent: number): Awaiting<void> {
    const { line } = input
    const value = yield* capture(indent)
    const read = value.isWhole ? parseJson(value.text) : undefined
    const place = { line, bytes: value.bytes, trajectory: index }
    const isDeep = isTooDeep(read, value.text.toString('latin1'))
    if (isRecord(read) && !isDeep) found({ ...place, kind: 'step', step: read })
    else found({ ...place, ...stepDamage(value, isDeep), kind: 'damage', text: shown(value.text) })
    if (!value.isWhole && !value.isTooLong) yield* skipToNextStep(indent)
    const after = yield* next()
    if (after !== comma && after !== closeBracket) yield* skipToNextStep(indent)
  }

  function* elements(element: () => Awaiting<void>): Awaiting<void> {
    while ((yield* next()) !== closeBracket) {
      yield* element()
      if ((yield* next()) === comma) input.skip()
    }
    input.skip()
  }

  /** Skips to the next line that begins a step or ends the steps. */
  function* skipToNextStep(indent: number): Awaiting<void> {
    for (;;) {
      const byte = yield* input.peek()
      if (byte === -1) throw new Torn('unexpected end of file')
      if (input.column === indent && byte === openBrace) return
      if (input.column <= indent && byte === closeBracket) return
      if (input.column <= indent && (isSpace(byte) || byte === comma)) input.skip()
      else yield* skipLine()
    }
  }

  function* skipLine(): Awaiting<void> {
    for (;;) {
      const byte = yield* input.peek()
      if (byte === -1) return
      input.skip()
      if (byte === newline) return
    }
  }

  /** Skips white space and returns the next byte. */
  function* next(): Awaiting<number> {
    for (;;) {
      const byte = yield* input.peek()
      if (byte === -1) throw new Torn('unexpected end of file')
      if (!isSpace(byte)) return byte
      input.skip()
    }
  }

  function* expect(byte: number): Awaiting<void> {
    if ((yield* next()) !== byte) throw new Torn(`expected "${String.fromCharCode(byte)}"`)
    input.skip()
  }

  function* name(): Awaiting<string> {
    if ((yield* next()) !== quote) throw new Torn('expected a field name')
    const key = parseJson((yield* capture(null)).text)
    if (typeof key !== 'string') throw new Torn('expected a field name')
    return key
  }

  /**
   * Captures the text of the next value. `indent`: the indentation of steps. A torn step ends at a line that begins a
   * step with that indentation, or at a line break within a string.
   */
  function* capture(indent: number | null): Awaiting<Captured> {
    const parts: Uint8Array[] = []
    let kept = 0
    let bytes = 0
    const value = { depth: 0, inString: false, escaped: false, isScalar: false }
    const done = (isWhole: boolean): Captured => ({
      text: Buffer.concat(parts),
      bytes,
      isWhole: isWhole && bytes <= valueBytesMax,
      isTooLong: bytes > valueBytesMax,
    })
    for (;;) {
      if ((yield* input.peek()) === -1) return done(false)
      const rest = input.rest()
      const { length, state } = scan(rest, value)
      if (kept <= valueBytesMax) parts.push(Buffer.from(rest.subarray(0, length)))
      kept += length
      bytes += length
      input.advance(length)
      if (state === 'end') return done(true)
      if (state === 'torn') return done(false)
      if (state !== 'line') continue
      input.skip()
      bytes++
      parts.push(lineBreak)
      if (indent === null) continue
      while (input.column < indent && (yield* input.peek()) === 0x20) {
        input.skip()
        bytes++
      }
      if (input.column === indent && (yield* input.peek()) === openBrace) return done(false)
    }
  }

  try {
    yield* trajectory(null, 0)
  } catch (error) {
    if (!(error instanceof Torn)) throw error
    const { line } = input
    const rest = Buffer.from(input.rest().subarray(0, damagedBytesMax))
    let bytes = 0
    while ((yield* input.peek()) !== -1) {
      bytes += input.rest().length
      input.advance(input.rest().length)
    }
    found({
      kind: 'damage',
      line,
      bytes,
      trajectory: 0,
      text: shown(rest),
      reason: `unreadable from here on: ${error.message}`,
    })
  }
}

interface Captured {
  text: Buffer
  bytes: number
  /** False: torn or too long. */
  isWhole: boolean
  isTooLong: boolean
}

function stepDamage({ isWhole, isTooLong }: Captured, isDeep: boolean): { reason: string } {
  if (isTooLong) return { reason: `a step longer than ${valueBytesMax >> 20} MB` }
  if (isDeep) return { reason: 'a step nested too deeply' }
  return { reason: isWhole ? 'not a step' : 'a torn step' }
}

const lineBreak = Buffer.from('\n')

/**
 * Scans the bytes of a value. `end`: the value ends at `length`; `line`: a line break follows `length`; `torn`: a line
 * break follows within a string; `more`: the value continues in the next chunk.
 */
function scan(
  bytes: Uint8Array,
  value: { depth: number; inString: boolean; escaped: boolean; isScalar: boolean },
): { length: number; state: 'end' | 'line' | 'torn' | 'more' } {
  let { depth, inString, escaped, isScalar } = value
  const stopAt = (length: number, state: 'end' | 'line' | 'torn' | 'more') => {
    Object.assign(value, { depth, inString, escaped, isScalar })
    return { length, state }
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inString) {
      if (byte === newline) return stopAt(at, 'torn')
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) {
        inString = false
        if (depth === 0) return stopAt(at + 1, 'end')
      }
    } else if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return stopAt(at, 'end')
      if (--depth === 0) return stopAt(at + 1, 'end')
    } else if (byte === newline) return stopAt(at, depth === 0 ? 'end' : 'line')
    else if (depth === 0) {
      if (byte === comma || byte === 0x20 || byte === 0x0d || byte === 0x09) {
        // Consumes a byte that can't begin a value, to guarantee progress.
        return stopAt(isScalar ? at : at + 1, 'end')
      }
      isScalar = true
    }
  }
  return stopAt(bytes.length, 'more')
}

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09

const shown = (bytes: Buffer): string =>
  bytes.subarray(0, damagedBytesMax).toString('utf8').toWellFormed()
