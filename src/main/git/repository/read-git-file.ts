import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { orNull } from './file-facts.ts'

/** Undefined on Windows, which has no named pipes in folders. */
const { O_NONBLOCK = 0 } = constants

/** The packed references of half a million branches. Any size can be had without using the disk (`truncate`). */
const fileBytesMax = 64 * 1024 * 1024

/**
 * Reads a text file of Git's. Throws the system's error; for a named pipe, a device, a folder or a file of any size in
 * its place, which an agent may have created, throws an Error without blocking or filling memory. Follows links.
 */
export const readGitFile = (file: string): string => readGitBytes(file).toString()

/** Like `readGitFile`, for a file that may be no text. */
export const readGitBytes = (file: string | Buffer): Buffer =>
  withFile(file, (fd) => {
    const { size } = fstatSync(fd)
    if (size > fileBytesMax) throw new Error(`${file} has ${size} bytes`)
    return readFileSync(fd)
  })

/** Like `readGitBytes`, but returns only the beginning. */
export const readGitStart = (file: string, bytesMax: number): Buffer =>
  withFile(file, (fd) => {
    const bytes = Buffer.alloc(bytesMax)
    return bytes.subarray(0, readSync(fd, bytes, 0, bytesMax, 0))
  })

function withFile(file: string | Buffer, read: (fd: number) => Buffer): Buffer {
  const fd = openSync(file, constants.O_RDONLY | O_NONBLOCK)
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${file} is not a file`)
    return read(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Returns a text without the line breaks at its end. A pattern such as `[\r\n]+$` would try each line break of the text,
 * and a repository may hold a million of them in one place: it would match for hours.
 */
export function withoutLineEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}

const gitdir = 'gitdir: '

/** Returns the folder that the text of a `.git` file names, as written there; undefined if it names none. */
export function folderNamedBy(text: string): string | undefined {
  if (!text.startsWith(gitdir)) return undefined
  return withoutLineEnd(text.slice(gitdir.length)) || undefined
}

/** Returns null for a file that can't be read, for whatever reason. */
export const readIfPossible = (file: string): string | null => orNull(() => readGitFile(file))
