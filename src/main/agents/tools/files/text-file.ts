import type { Stats } from 'node:fs'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import { ToolError } from '../tool.ts'
import { errorCode, fileError } from './file-error.ts'

/** The largest file that a file tool reads or writes whole; larger ones are for bash (`head`, `grep`, `sed`). */
export const fileBytesMax = 10 * 1024 * 1024

/** Binary files have a NUL near their beginning; text has none. Git checks as many bytes. */
const binaryProbeBytes = 8000

/**
 * The bytes of a file, or null when there is none. Refuses what is no regular file (reading a pipe
 * would wait forever) and what is over `fileBytesMax`.
 */
export async function readBytes(inside: FilesInside, path: ConfinedPath): Promise<Buffer | null> {
  try {
    // A device or a pipe is not opened at all: opening one can have an effect.
    refuseUnreadable(path, await inside.lstat(path))
    return await inside.withOpened(path, async (handle, stats) => {
      refuseUnreadable(path, stats)
      return handle.readFile()
    })
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (errorCode(error) === 'ENOENT') return null
    throw fileError(path.relative, error)
  }
}

/** The text of a file that has to be there. Refuses binary files and text that is not UTF-8. */
export async function readText(inside: FilesInside, path: ConfinedPath): Promise<string> {
  const text = decodeText(await readExisting(inside, path))
  if (text === null)
    throw new ToolError(`${path.relative} is a binary file or not UTF-8; only text can be read.`)
  return text
}

/** The bytes of a file that has to be there. */
export async function readExisting(inside: FilesInside, path: ConfinedPath): Promise<Buffer> {
  const bytes = await readBytes(inside, path)
  if (bytes === null)
    throw new ToolError(`${path.relative} does not exist. list_files shows what does.`)
  return bytes
}

/** Null: the bytes are no UTF-8 text. A byte order mark is kept, so that encoding gives the same bytes. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Lines with their ends, so that joining them gives the text back. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function refuseUnreadable(path: ConfinedPath, stats: Stats): void {
  if (stats.isDirectory()) throw new ToolError(`${path.relative} is a directory.`)
  if (!stats.isFile()) throw new ToolError(`${path.relative} is not a regular file.`)
  if (stats.size > fileBytesMax)
    throw new ToolError(
      `${path.relative} is too large (${stats.size} bytes, at most ${fileBytesMax}). Use bash to work on a part of it.`,
    )
}
