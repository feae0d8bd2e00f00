// Reads a file of lines as they are, for what must copy or prove them byte by byte.
import { blobDirectory, blobReferences, putBackBlobs } from './blobs.ts'
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

/** A record as its line has it. */
export interface RawRecord {
  seq: number
  /** Without the newline. */
  line: Buffer
  /** What an export puts in its place to withhold it. */
  stub(): string
  /** With its long values, as far as their files are there; `blobs` lists where they come from. */
  read(): Promise<{ record: JournalRecord; blobs: BlobReference[]; lost: BlobReference[] }>
}

/** Bytes of lines in a row that are no records. */
export interface UnreadableBytes {
  seq: null
  bytes: number
}

/**
 * Yields the records of the journal at `file` in file order, and what is unreadable between them. An unterminated
 * last line is neither (J1). Uses the memory of one line. Throws as `openDataFile` does.
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
      const lost = blobs.length === 0 ? [] : await putBackBlobs(blobDirectory(file), record)
      return { record, blobs, lost }
    },
  }
}

interface LineOptions {
  /** Longer lines are skipped, and null is yielded for them. */
  lineBytesMax?: number
  /** What follows the last newline is a line as well. */
  tail?: boolean
}

/**
 * Yields each line of `file` without its newline; null for one of more than `lineBytesMax`, which is skipped. What
 * follows the last newline is left out, unless `tail` is given. Links are followed with `followLinks`.
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

/** Splits bytes into lines, as `readLines` does with those of a file. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  options: LineOptions = {},
): AsyncGenerator<Buffer | null> {
  for await (const lines of lineBatchesOf(chunks, options)) yield* lines
}

/** As `linesOf`, with all lines that end in one chunk at once: waiting for each costs more than reading it. */
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

/** Checks lines of a journal, stubs included, one after the other. */
interface ChainCheck {
  /** `follows`: it is the next record after the line before. */
  next(line: Buffer): { seq: number; withheld: boolean; follows: boolean } | null
}

/** Begins before a journal's first line. `next` returns null for a line that is no record, or was altered. */
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
