import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isInside } from '../../../journal/index.ts'
import { errorCode, fileError } from '../files/file-error.ts'
import { ToolError } from '../tool.ts'
import type { FileCalls } from './file-calls.ts'

export interface ConfinedPath {
  /** With all symbolic links resolved. The file itself need not exist. */
  absolute: string
  /** Relative to the working directory, `/` as separator; `.` for the directory itself. */
  relative: string
}

/**
 * Resolves a path given by an agent. Rejects with ToolError for paths outside its working directory: `..`, absolute paths
 * elsewhere, and symbolic links that lead out, in the file or in a parent directory, existing or not.
 */
export async function confine(
  calls: FileCalls,
  workingDir: string,
  path: string,
): Promise<ConfinedPath> {
  if (path.includes('\0')) throw new ToolError('path: must not contain a NUL character.')
  const root = await realRoot(calls, workingDir)
  const target = resolve(workingDir, path)
  if (!isInside(workingDir, target) && !isInside(root, target))
    throw new ToolError(
      `path: ${path} is outside the working directory ${workingDir}. Only files inside it can be used.`,
    )
  const absolute = await resolveLinks(calls, target, path)
  if (!isInside(root, absolute))
    throw new ToolError(
      `path: ${path} leads out of the working directory through a symbolic link. Only files inside it can be used.`,
    )
  return { absolute, relative: relative(root, absolute).split(sep).join('/') || '.' }
}

async function realRoot(calls: FileCalls, workingDir: string): Promise<string> {
  try {
    return await calls.realpath(workingDir)
  } catch (error) {
    throw new ToolError(`The working directory ${workingDir} does not exist any more.`, error)
  }
}

/** Resolves with the real path of the nearest existing ancestor, and the missing parts below it. */
async function resolveLinks(calls: FileCalls, target: string, path: string): Promise<string> {
  const missing: string[] = []
  for (let existing = target; ; existing = dirname(existing)) {
    try {
      return join(await calls.realpath(existing), ...missing)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw unusable(path, error)
    }
    // Refused, because creating "the file" would create the missing target of the link.
    if (await isSymbolicLink(calls, existing))
      throw new ToolError(`path: ${path} contains a symbolic link whose target does not exist.`)
    missing.unshift(basename(existing))
  }
}

async function isSymbolicLink(calls: FileCalls, path: string): Promise<boolean> {
  try {
    return (await calls.lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

function unusable(path: string, error: unknown): ToolError {
  const code = errorCode(error)
  if (code === 'ENOTDIR') return new ToolError(`path: ${path} uses a file as a directory.`)
  if (code === 'ELOOP') return new ToolError(`path: ${path} contains a loop of symbolic links.`)
  return fileError(path, error)
}
