/**
 * The only way to open a file of the data directory. The path may lead to something else: opening a named pipe would
 * block forever, and a symbolic link may point outside. See tests/toolchain/data-files.test.ts.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { systemCode } from '../errors.ts'
import type { RawPath } from './raw-path.ts'

/** Undefined on Windows, which has neither flag. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const flagsOf = {
  read: constants.O_RDONLY,
  'read-write': constants.O_RDWR,
  /** Creates it if missing. */
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  /** Creates it if missing, else truncates it. */
  overwrite: constants.O_WRONLY | constants.O_TRUNC | constants.O_CREAT,
} as const

interface OpenOptions {
  /** Mode of a file that is created. Default: 0600. */
  mode?: number
  /** For the user's own files, which may be symbolic links. */
  followLinks?: boolean
}

/**
 * Opens a regular file and never blocks. Throws the system's error; for anything other than a
 * regular file an error with the code ELOOP (symbolic link), EISDIR, NAMED_PIPE, SOCKET or DEVICE,
 * which `explain` describes.
 */
export async function openDataFile(
  file: RawPath,
  access: keyof typeof flagsOf,
  { mode = 0o600, followLinks = false }: OpenOptions = {},
): Promise<FileHandle> {
  const noFollow = followLinks ? 0 : O_NOFOLLOW
  // O_NONBLOCK, because opening a pipe without a writer blocks.
  const opening = open(file, flagsOf[access] | noFollow | O_NONBLOCK, mode)
  const handle = await opening.catch(async (error) => {
    // A socket, or a pipe without a reader, can't be opened, and the system's error does not say why.
    const status = await lstat(file).catch(() => null)
    throw status && !status.isSymbolicLink() && !status.isFile() ? notAFile(file, status) : error
  })
  try {
    const status = await handle.stat()
    if (!status.isFile()) throw notAFile(file, status)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Returns the whole content. Throws as `openDataFile` does. */
export async function readDataFile(file: string, options: OpenOptions = {}): Promise<Buffer> {
  const handle = await openDataFile(file, 'read', options)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * Returns the SHA-256 of the content in hex. Reads in chunks, so memory does not grow with the
 * file. Throws as `openDataFile` does.
 */
export async function sha256OfDataFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  const handle = await openDataFile(file, 'read')
  await pipeline(handle.createReadStream(), hash)
  return hash.digest('hex')
}

/**
 * Reads a file synchronously, for files that are needed before anything else can start. Follows
 * links.
 */
export function readFileNow(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | O_NONBLOCK)
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) throw notAFile(file, status)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Opens a regular file synchronously and returns its descriptor. For a thread that does nothing else meanwhile: an
 * asynchronous call waits for another thread. Throws as `openDataFile` does.
 */
export function openFileNow(file: string, access: keyof typeof flagsOf): number {
  const descriptor = openSync(file, flagsOf[access] | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) throw notAFile(file, status)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/**
 * Reads the beginning of a file synchronously, as `openFileNow` opens it. Returns all of a shorter file. `newBuffer`
 * returns the memory to read into.
 */
export function readStartNow(
  file: string,
  bytes: number,
  newBuffer: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const descriptor = openFileNow(file, 'read')
  try {
    const start = newBuffer(Math.min(bytes, fstatSync(descriptor).size))
    let length = 0
    while (length < start.length) {
      const read = readSync(descriptor, start, length, start.length - length, length)
      if (read === 0) break
      length += read
    }
    return start.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Appends to an existing file synchronously, for a process that is about to exit. Throws as
 * `openDataFile` does.
 */
export function appendToFileNow(file: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | O_NOFOLLOW | O_NONBLOCK
  const descriptor = openSync(file, flags)
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) throw notAFile(file, status)
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** Reports whether the error means that something other than a regular file is at the path. */
export function isNoFile(error: unknown): boolean {
  return Object.hasOwn(kinds, systemCode(error))
}

/** Describes an error for which `isNoFile` is true, which may be the system's own. */
export function describeNoFile(error: unknown): string {
  const { path } = error as NodeJS.ErrnoException
  return textOf(path ?? 'Something', systemCode(error))
}

const kinds: Record<string, string> = {
  ELOOP: 'symbolic link',
  EISDIR: 'directory',
  NAMED_PIPE: 'named pipe',
  SOCKET: 'socket',
  DEVICE: 'device',
}

function codeOf(status: NodeKind): string {
  if (status.isSymbolicLink()) return 'ELOOP'
  if (status.isDirectory()) return 'EISDIR'
  if (status.isFIFO()) return 'NAMED_PIPE'
  return status.isSocket() ? 'SOCKET' : 'DEVICE'
}

type NodeKind = Pick<Stats, 'isSymbolicLink' | 'isDirectory' | 'isFIFO' | 'isSocket'>

/** Returns the error for something other than a regular file. */
export function notAFile(file: RawPath, status: NodeKind): Error {
  const code = codeOf(status)
  return Object.assign(new Error(textOf(file, code)), { code, path: String(file) })
}

const textOf = (file: RawPath, code: string): string =>
  `${file} is a ${kinds[code]} where a file should be`
