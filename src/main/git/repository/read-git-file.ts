import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { orNull } from './file-facts.ts'

/** Undefined on Windows, which has no named pipes in folders. */
const { O_NONBLOCK = 0 } = constants

/**
 * Reads a text file of Git's. Throws the system's error; for a named pipe, a device or a folder in
 * its place, which an agent may have created, throws an Error without blocking. Follows links.
 */
export const readGitFile = (file: string): string => readGitBytes(file).toString()

/** Like `readGitFile`, for a file that may be no text. */
export function readGitBytes(file: string | Buffer): Buffer {
  const fd = openSync(file, constants.O_RDONLY | O_NONBLOCK)
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${file} is not a file`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Returns null for a file that can't be read, for whatever reason. */
export const readIfPossible = (file: string): string | null => orNull(() => readGitFile(file))
