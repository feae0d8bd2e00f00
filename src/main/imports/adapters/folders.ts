/** Lists and reads other tools' folders without following links out of them (I1). */
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { linesOf } from '../../journal/index.ts'
import { contentOf } from './source-content.ts'
import { isRecord, parseJson } from './values.ts'

export interface ListedFile {
  name: string
  /** Absolute. */
  path: string
  bytes: number
  mtimeMs: number
}

/** The files and folders in a folder, by name, without links. Empty if `dir` is not a folder. */
export async function listFolder(
  dir: string,
): Promise<{ files: ListedFile[]; folders: { name: string; path: string }[] }> {
  const listed = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const files: ListedFile[] = []
  const folders: { name: string; path: string }[] = []
  for (const entry of listed.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) folders.push({ name: entry.name, path })
    else if (entry.isFile()) {
      const listedFile = await fileAt(path)
      if (listedFile) files.push({ ...listedFile, name: entry.name })
    }
  }
  return { files, folders }
}

/** Null: the file does not exist or is a link. */
export async function fileAt(path: string): Promise<ListedFile | null> {
  const status = await lstat(path).catch(() => null)
  if (!status?.isFile()) return null
  const name = basename(path)
  return { name, path, bytes: status.size, mtimeMs: Math.trunc(status.mtimeMs) }
}

/** Resolves links in a path given by a person. Null: the path does not exist. */
export async function namedPath(
  given: string,
): Promise<{ path: string; isFolder: boolean } | null> {
  const path = await realpath(given).catch(() => null)
  if (path === null) return null
  const status = await lstat(path)
  return { path, isFolder: status.isDirectory() }
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
  const found: Record<string, unknown>[] = []
  let lines = 0
  try {
    for await (const line of linesOf(contentOf(path, { chunkBytes }), {
      lineBytesMax,
      tail: true,
    })) {
      if (++lines > firstLinesMax) break
      const record = line && parseJson(line)
      if (!isRecord(record)) continue
      found.push(record)
      if (enough(record)) break
    }
  } catch {
    // The import reports the read error.
  }
  return found
}
