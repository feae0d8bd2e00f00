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
 * elsewhere, and symbolic links that lead out, in the file or in a parent directory, existing or not. Rejects also for
 * the data directory, which a working directory may contain: a tool could overwrite the record of its own calls.
 */
export async function confine(
  { calls, dataDir }: { calls: FileCalls; dataDir: string | null },
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
  if (await isWithheld(calls, dataDir, { root, absolute }))
    throw new ToolError(
      `path: ${path} is in ${dataDir}, where Shiplog keeps its record. No tool reads or changes files there; use another path.`,
    )
  return { absolute, relative: relative(root, absolute).split(sep).join('/') || '.' }
}

/** `root` is the working directory, which is usually a worktree in the data directory. Both paths without links. */
export async function isWithheld(
  calls: FileCalls,
  dataDir: string | null,
  { root, absolute }: { root: string; absolute: string },
): Promise<boolean> {
  if (dataDir === null) return false
  const place = await calls.realpath(dataDir).catch(() => dataDir)
  return isInside(place, absolute) && !isInside(place, root)
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
