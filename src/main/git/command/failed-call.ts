/** The reasons of a failed call that Git and Node do not report. */
import { statfsSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { orNull } from '../repository/file-facts.ts'
import { GitError, GitMissingError } from './errors.ts'

/** Larger than the free rest of a file's last block, so that a full disk fails the write. */
const probeBytes = 1024 * 1024

/**
 * Returns the error code for a file that Git could not write its output to, because Git does not
 * report the code; null if the file accepts more bytes. Writes to the file, which is useless anyway.
 */
export function writeErrorOf(fd: number): string | null {
  const probe = Buffer.alloc(probeBytes)
  try {
    for (let at = 0; at < probe.length; ) at += writeSync(fd, probe, at)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null
  }
}

/** Messages in which Git names a file that it could not write, relative or not, but not why. */
const unwritten = /(?:unable to write(?: new)?(?: index)? file|couldn't write) '?([^'\n]*)/

/** Returns ENOSPC if Git could not write a file, and the disk that it would be on is full; else null. */
export function fullDiskOf(stderr: string, cwd: string): string | null {
  const [, file] = unwritten.exec(stderr) ?? []
  if (file === undefined) return null
  const isFull = [cwd, path.dirname(path.resolve(cwd, file))].some((folder) => {
    const disk = orNull(() => statfsSync(folder))
    return disk !== null && disk.bavail * disk.bsize < probeBytes
  })
  return isFull ? 'ENOSPC' : null
}

/** Git exists, but its arguments are too long or contain a zero byte. */
const argumentErrors = new Set(['E2BIG', 'ERR_INVALID_ARG_VALUE'])

/** Node reports the same codes for a program and for its working directory, if it is missing or may not be entered. */
export async function startError(
  gitPath: string,
  args: readonly string[],
  cwd: string,
  error: unknown,
): Promise<Error> {
  // The entry for itself can be read only in a folder that may be entered.
  const folderError = await stat(`${cwd}${path.sep}.`).then(
    () => null,
    (problem: NodeJS.ErrnoException) => problem.code,
  )
  if (folderError === 'EACCES')
    return new GitError(args, null, `fatal: could not open '${cwd}': Permission denied`)
  if (folderError !== null) return new GitError(args, null, `fatal: ${cwd} is not a folder`)
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && argumentErrors.has(code)) return error as Error
  return new GitMissingError(gitPath, error)
}
