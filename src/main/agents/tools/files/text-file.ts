import type { Stats } from 'node:fs'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import { ToolError } from '../tool.ts'
import { errorCode, fileError } from './file-error.ts'

/** The largest file that a file tool reads or writes whole; larger ones are for bash (`head`, `grep`, `sed`). */
export const fileBytesMax = 10 * 1024 * 1024

/** Binary files have a NUL near their beginning; text has none. Git checks as many bytes. */
const binaryProbeBytes = 8000

/**
 * Resolves with the bytes of a file; null if it does not exist. Rejects with ToolError for a file that is not regular
 * (reading a pipe would block forever) or larger than `fileBytesMax`.
 */
export async function readBytes(inside: FilesInside, path: ConfinedPath): Promise<Buffer | null> {
  try {
    // Checked before opening, because opening a device or a pipe can have effects.
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

/** Resolves with the text of a file. Rejects with ToolError if it is missing, binary or not UTF-8. */
export async function readText(inside: FilesInside, path: ConfinedPath): Promise<string> {
  const text = decodeText(await readExisting(inside, path))
  if (text === null)
    throw new ToolError(`${path.relative} is a binary file or not UTF-8; only text can be read.`)
  return text
}

/** Resolves with the bytes of a file. Rejects with ToolError if it is missing. */
export async function readExisting(inside: FilesInside, path: ConfinedPath): Promise<Buffer> {
  const bytes = await readBytes(inside, path)
  if (bytes === null)
    throw new ToolError(`${path.relative} does not exist. list_files shows what does.`)
  return bytes
}

/** Returns null if the bytes are not UTF-8 text. Keeps a byte order mark, so that encoding returns the same bytes. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Splits a text into lines with their ends, so that joining them returns the text. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function refuseUnreadable(path: ConfinedPath, stats: Stats): void {
  if (stats.isDirectory()) throw new ToolError(`${path.relative} is a directory.`)
  if (!stats.isFile()) throw new ToolError(`${path.relative} is not a regular file.`)
  if (stats.size > fileBytesMax)
    throw new ToolError(
      `${path.relative} is too large (${stats.size} bytes, at most ${fileBytesMax}). Use bash to work on a part of it.`,
    )
}
