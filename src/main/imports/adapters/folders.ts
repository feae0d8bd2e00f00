/**
 * Lists and reads other tools' folders without following links out of them (I1). Synchronous, because only the import
 * thread uses it: finding 500 sessions took 80 ms instead of 190 ms.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { linesOf, readStartNow } from '../../journal/index.ts'
import { contentOf, isCompressed } from './source-content.ts'
import { isRecord, parseJson } from './values.ts'

export interface ListedFile {
  name: string
  /** Absolute. */
  path: string
  bytes: number
  mtimeMs: number
}

/** The files and folders in a folder, by name, without links. Empty if `dir` is not a folder. */
export function listFolder(dir: string): {
  files: ListedFile[]
  folders: { name: string; path: string }[]
} {
  const files: ListedFile[] = []
  const folders: { name: string; path: string }[] = []
  for (const entry of namesIn(dir).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) folders.push({ name: entry.name, path })
    else if (entry.isFile()) {
      const listedFile = fileAt(path)
      if (listedFile) files.push({ ...listedFile, name: entry.name })
    }
  }
  return { files, folders }
}

function namesIn(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Null: the file does not exist or is a link. */
export function fileAt(path: string): ListedFile | null {
  const status = statusOf(path)
  if (!status?.isFile()) return null
  const name = basename(path)
  return { name, path, bytes: status.size, mtimeMs: Math.trunc(status.mtimeMs) }
}

/** Resolves links in a path given by a user. Null: the path does not exist. */
export function namedPath(given: string): { path: string; isFolder: boolean } | null {
  try {
    const path = realpathSync(given)
    return { path, isFolder: lstatSync(path).isDirectory() }
  } catch {
    return null
  }
}

/** Null: nothing is there, or the folder can't be searched. */
function statusOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Number of first lines that discovery inspects. */
const firstLinesMax = 12
/** Longer lines are skipped. */
const lineBytesMax = 256 << 10
/** Most first lines are short, and discovery should read as little as possible. */
const chunkBytes = 16 << 10

/** Parses the first lines of a file up to a record for which `enough` returns true. Never rejects on read errors. */
export async function firstRecords(
  path: string,
  enough: (record: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>[]> {
  let found: Record<string, unknown>[] = []
  let lines = 0
  /** Returns whether no further line is needed. */
  const isLast = (line: Buffer | null): boolean => {
    if (++lines > firstLinesMax) return true
    const record = line && parseJson(line)
    if (!isRecord(record)) return false
    found.push(record)
    return enough(record)
  }
  try {
    if (!isCompressed(path) && wholeLines(readStartNow(path, chunkBytes)).some(isLast)) return found
    found = []
    lines = 0
    const content = contentOf(path, { chunkBytes })
    for await (const line of linesOf(content, { lineBytesMax, tail: true })) if (isLast(line)) break
  } catch {
    // The import reports the read error.
  }
  return found
}

function wholeLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, start)) {
    lines.push(bytes.subarray(start, at))
    start = at + 1
  }
  return lines
}

const newline = 0x0a
