import { lstat, readdir } from 'node:fs/promises'
import { basename, join, matchesGlob } from 'node:path'
import { type ConfinedPath, confine } from './confined-path.ts'
import { fileError } from './file-error.ts'
import { ToolError } from './tool.ts'

/** Past this a listing says nothing more, and walking on would only keep the disk busy. */
const filesVisitedMax = 50_000
/** Enough to keep the disk busy, few enough not to hold the thread pool from others. */
const lstatsAtOnce = 64

const neverEntered = new Set(['.git', 'node_modules'])

/** Files below a folder, relative to it, without those that Git ignores or that are deleted, sorted. */
export type FilesOfGit = (dir: string, options: { signal: AbortSignal }) => Promise<string[] | null>

interface ProjectFiles {
  /** Relative to the working directory, `/` as separator, sorted. Regular files only. */
  files: string[]
  /** True: there are more than `filesVisitedMax`. */
  truncated: boolean
}

/**
 * The files below a directory of the working directory (or the one file that the path names). In a
 * Git repository without what it ignores, elsewhere without `node_modules`. Symbolic links are not
 * followed. A glob without `/` is for file names at any depth, another for paths below the directory.
 */
export async function projectFiles(
  workingDir: string,
  {
    path = '.',
    glob,
    signal,
    filesOfGit,
  }: { path?: string; glob?: string; signal: AbortSignal; filesOfGit: FilesOfGit },
): Promise<ProjectFiles> {
  const start = await confine(workingDir, path)
  if (!(await isDirectory(start))) return { files: [start.relative], truncated: false }
  const below =
    (await listedByGit(start.absolute, filesOfGit, signal)) ?? (await walk(start.absolute, signal))
  signal.throwIfAborted()
  const wanted = glob ? below.filter((file) => matches(file, glob)) : below
  const prefix = start.relative === '.' ? '' : `${start.relative}/`
  return {
    files: wanted.slice(0, filesVisitedMax).map((file) => prefix + file),
    truncated: below.length > filesVisitedMax,
  }
}

async function isDirectory(start: ConfinedPath): Promise<boolean> {
  try {
    return (await lstat(start.absolute)).isDirectory()
  } catch (error) {
    throw fileError(start.relative, error)
  }
}

function matches(file: string, glob: string): boolean {
  try {
    return matchesGlob(glob.includes('/') ? file : basename(file), glob)
  } catch (error) {
    throw new ToolError(`glob: ${glob} is not a pattern that can be matched.`, error)
  }
}

/** Null: not in a repository, no Git, or a directory that Git ignores whole. */
async function listedByGit(
  dir: string,
  filesOfGit: FilesOfGit,
  signal: AbortSignal,
): Promise<string[] | null> {
  try {
    const files = await filesOfGit(dir, { signal })
    return files && files.length > 0 ? await regularFiles(dir, files) : null
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/** Git also lists symbolic links and submodules. */
async function regularFiles(dir: string, files: string[]): Promise<string[]> {
  const regular: string[] = []
  for (let at = 0; at < files.length && regular.length <= filesVisitedMax; at += lstatsAtOnce) {
    const some = files.slice(at, at + lstatsAtOnce)
    const kinds = await Promise.all(some.map((file) => lstat(join(dir, file)).catch(() => null)))
    regular.push(...some.filter((_, index) => kinds[index]?.isFile()))
  }
  return regular
}

async function walk(dir: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = []
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    signal.throwIfAborted()
    // A directory that may not be read is passed over, as in any listing.
    const entries = await readdir(join(dir, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (entry.isDirectory() && !neverEntered.has(entry.name)) pending.push(path)
      else if (entry.isFile()) files.push(path)
    }
    if (files.length > filesVisitedMax) break
  }
  return files.sort()
}
