/** Reads a command's output in parts, so that the whole output is never in memory. */
import { join } from 'node:path'
import { blobDirectory, readBlobPart } from '../journal/index.ts'
import { chatFile } from '../sessions/session-files.ts'

/** A longer line is cut where a part ends. Longer than lines that are read, and a small part of one. */
const wholeLineBytesMax = 16_384
const lineBreak = 0x0a

export interface OutputPartQuery {
  sha256: string
  /** In bytes. */
  offset: number
  bytesMax: number
}

export interface OutputPart {
  text: string
  /** Bytes of the whole output. */
  total: number
  nextOffset: number | null
}

/** Returns a part that ends after a line, if possible; null if the transcript in `dir` has no such output. */
export async function readOutputPart(
  dir: string,
  { sha256, offset, bytesMax }: OutputPartQuery,
): Promise<OutputPart | null> {
  const part = await readBlobPart(blobDirectory(join(dir, chatFile)), sha256, { offset, bytesMax })
  if (!part) return null
  const isLast = offset + part.data.length >= part.total
  return cutBetweenCharacters(isLast ? part : { ...part, data: wholeLines(part.data) }, offset)
}

/** Returns a part of `whole`, a UTF-8 text, cut between characters. */
export function partOfBytes(whole: Buffer, offset: number, bytesMax: number): OutputPart {
  const data = whole.subarray(offset, offset + bytesMax)
  return cutBetweenCharacters({ data, total: whole.length }, offset)
}

function cutBetweenCharacters(
  { data, total }: { data: Buffer; total: number },
  offset: number,
): OutputPart {
  const isLast = offset + data.length >= total
  const length = isLast ? data.length : wholeCharacters(data)
  return {
    text: data.subarray(0, length).toString(),
    total,
    nextOffset: isLast ? null : offset + length,
  }
}

/** Returns the data without the beginning of a line at its end, unless that line is too long. */
function wholeLines(data: Buffer): Buffer {
  const end = data.lastIndexOf(lineBreak) + 1
  return end > 0 && data.length - end <= wholeLineBytesMax ? data.subarray(0, end) : data
}

/**
 * Returns the bytes up to the end of the last complete UTF-8 character; all of them if the data is
 * not UTF-8.
 */
function wholeCharacters(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length - 1); back++) {
    const byte = data[data.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? data.length - back : data.length
  }
  return data.length
}
