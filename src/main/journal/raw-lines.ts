// Reads lines as raw bytes, for callers that copy or verify them byte by byte.
import { blobDirectory, blobReferences, restoreBlobs } from './blobs.ts'
import { chunksOf } from './byte-ranges.ts'
import { openDataFile } from './files/data-file.ts'
import {
  firstPreviousSum,
  newlineByte,
  parseLine,
  readLine,
  readStub,
  repeatedSum,
  stubOf,
} from './line.ts'
import type { BlobReference, JournalRecord } from './types.ts'

/** A record with the bytes of its line. */
export interface RawRecord {
  seq: number
  /** Without the newline. */
  line: Buffer
  /** Returns the stub that an export writes in place of the record to withhold it. */
  stub(): string
  /**
   * Parses the record and restores its long values. `blobs` lists all of these, `lost` those whose
   * file is missing or changed.
   */
  read(): Promise<{ record: JournalRecord; blobs: BlobReference[]; lost: BlobReference[] }>
}

/** The length of a line that is not a valid record. */
export interface UnreadableBytes {
  seq: null
  bytes: number
}

/**
 * Yields the records of the journal at `file` from `fromSeq` on, in file order, and every unreadable line. Skips an
 * unterminated last line (J1). Holds one line in memory. Throws as `openDataFile` does.
 */
export async function* readRawRecords(
  file: string,
  { fromSeq = 1 }: { fromSeq?: number } = {},
): AsyncGenerator<RawRecord | UnreadableBytes> {
  for await (const line of readLines(file)) {
    if (line === null) continue
    const whole = readLine(line, 0, line.length)
    if (!whole) yield { seq: null, bytes: line.length }
    else if (whole.seq >= fromSeq) yield rawRecord(file, whole.seq, line)
  }
}

function rawRecord(file: string, seq: number, line: Buffer): RawRecord {
  return {
    seq,
    line,
    stub: () => stubOf(line, 0, line.length),
    async read() {
      const record = parseLine(line, 0, line.length)
      const blobs = blobReferences(record)
      const lost = blobs.length === 0 ? [] : await restoreBlobs(blobDirectory(file), record)
      return { record, blobs, lost }
    },
  }
}

interface LineOptions {
  /** Longer lines are skipped, and null is yielded for them. */
  lineBytesMax?: number
  /** Also yields the bytes after the last newline. */
  tail?: boolean
}

/**
 * Yields each line of `file` without its newline. Follows symbolic links only with `followLinks`. Throws as
 * `openDataFile` does.
 */
export async function* readLines(
  file: string,
  { followLinks = false, ...options }: LineOptions & { followLinks?: boolean } = {},
): AsyncGenerator<Buffer | null> {
  const handle = await openDataFile(file, 'read', { followLinks })
  try {
    yield* linesOf(chunksOf(handle), options)
  } finally {
    await handle.close()
  }
}

/** Splits a stream of bytes into lines, without their newlines. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  options: LineOptions = {},
): AsyncGenerator<Buffer | null> {
  for await (const lines of lineBatchesOf(chunks, options)) yield* lines
}

/** Like `linesOf`, but yields the lines of a chunk together, because awaiting each costs more than splitting it. */
export async function* lineBatchesOf(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { lineBytesMax = Number.POSITIVE_INFINITY, tail = false }: LineOptions = {},
): AsyncGenerator<(Buffer | null)[]> {
  let begun: Buffer[] = []
  let begunBytes = 0
  let isSkipped = false
  const take = (end: Buffer): Buffer | null => {
    const line = begun.length === 0 ? end : Buffer.concat([...begun, end])
    const tooLong = isSkipped || line.length > lineBytesMax
    begun = []
    begunBytes = 0
    isSkipped = false
    return tooLong ? null : line
  }
  for await (const chunk of chunks) {
    const lines: (Buffer | null)[] = []
    let start = 0
    for (let at = chunk.indexOf(newlineByte); at !== -1; at = chunk.indexOf(newlineByte, start)) {
      lines.push(take(chunk.subarray(start, at)))
      start = at + 1
    }
    if (lines.length > 0) yield lines
    if (start === chunk.length) continue
    begun.push(chunk.subarray(start))
    begunBytes += chunk.length - start
    if (begunBytes <= lineBytesMax) continue
    begun = []
    begunBytes = 0
    isSkipped = true
  }
  if (tail && (begunBytes > 0 || isSkipped)) yield [take(Buffer.alloc(0))]
}

/** Verifies consecutive lines of a journal, stubs included. */
interface ChainCheck {
  /** `follows`: the line has the next seq and continues the chain of the line before. Null if it is not valid. */
  next(line: Buffer): { seq: number; withheld: boolean; follows: boolean } | null
}

/** Returns a check that expects a journal's first line next. */
export function createChainCheck(): ChainCheck {
  let lastSeq = 0
  let previousSum = firstPreviousSum
  return {
    next(line) {
      const whole = readLine(line, 0, line.length) ?? readStub(line, 0, line.length)
      if (!whole) return null
      const { seq, withheld } = whole
      const follows = seq === lastSeq + 1 && whole.previousSum === previousSum
      lastSeq = seq
      previousSum = repeatedSum(whole.sum)
      return { seq, withheld, follows }
    },
  }
}
