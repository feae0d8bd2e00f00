import type { Dirent } from 'node:fs'
import { basename, join, matchesGlob, posix } from 'node:path'
import { isGitName } from '../../../../shared/git-names.ts'
import { fileError } from '../files/file-error.ts'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import { ToolError } from '../tool.ts'

/** The largest repositories have fewer; a larger listing would only take memory. */
const filesVisitedMax = 500_000
/** Larger files are data or build products: not what a search through sources is for. */
export const searchedFileBytesMax = 2 * 1024 * 1024
/** Enough to keep the disk busy, few enough not to hold the thread pool from others. */
const foldersAtOnce = 16

const isNeverEntered = (name: string) => name === 'node_modules' || isGitName(name)

/** Files below a folder, relative to it, without those that Git ignores, sorted. Deleted ones may be among them. */
export type FilesOfGit = (dir: string, options: { signal: AbortSignal }) => Promise<string[] | null>

export interface FoundFile {
  /** Relative to the working directory, `/` as separator. */
  path: string
  /** Regular files in its folder, those that Git ignores included; 1 when only this one is known. */
  filesInFolder: number
}

interface ProjectFiles {
  /** Sorted by path. Regular files only. */
  files: FoundFile[]
  /** True if there are more than `filesVisitedMax`. */
  truncated: boolean
}

/**
 * The files below a directory of the working directory (or the one file that the path names). In a
 * Git repository without what it ignores, elsewhere without `node_modules`. Symbolic links are not
 * followed. A glob without `/` is for file names at any depth, another for paths below the directory.
 */
export async function projectFiles(
  inside: FilesInside,
  workingDir: string,
  {
    path = '.',
    glob,
    signal,
    filesOfGit,
  }: { path?: string; glob?: string; signal: AbortSignal; filesOfGit: FilesOfGit },
): Promise<ProjectFiles> {
  const start = await inside.confine(workingDir, path)
  if (!(await isDirectory(inside, start)))
    return { files: [{ path: start.relative, filesInFolder: 1 }], truncated: false }
  const below =
    (await listedByGit(inside, start, filesOfGit, signal)) ?? (await walk(inside, start, signal))
  signal.throwIfAborted()
  const wanted = glob ? below.filter((file) => matches(file.path, glob)) : below
  const prefix = start.relative === '.' ? '' : `${start.relative}/`
  return {
    files: wanted.slice(0, filesVisitedMax).map((file) => ({ ...file, path: prefix + file.path })),
    truncated: below.length > filesVisitedMax,
  }
}

async function isDirectory(inside: FilesInside, start: ConfinedPath): Promise<boolean> {
  try {
    return (await inside.lstat(start)).isDirectory()
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
  inside: FilesInside,
  start: ConfinedPath,
  filesOfGit: FilesOfGit,
  signal: AbortSignal,
): Promise<FoundFile[] | null> {
  try {
    return await inside.inFolder(start, async () => {
      const files = await filesOfGit(start.absolute, { signal }).catch(() => null)
      return files && files.length > 0 ? regularFiles(inside, start, files, signal) : null
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ToolError) throw error
    throw fileError(start.relative, error)
  }
}

/** Git also lists symbolic links, submodules and deleted files. Listing each folder once is faster than asking for each file. */
async function regularFiles(
  inside: FilesInside,
  start: ConfinedPath,
  files: string[],
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const namesIn = new Map<string, Set<string>>()
  const folders = [...new Set(files.map(folderOf))]
  for (let from = 0; from < folders.length; from += foldersAtOnce) {
    signal.throwIfAborted()
    const some = folders.slice(from, from + foldersAtOnce)
    await Promise.all(
      some.map(async (folder) => {
        const entries = await entriesOf(inside, start, folder)
        namesIn.set(
          folder,
          new Set(entries.filter((each) => each.isFile()).map(({ name }) => name)),
        )
      }),
    )
  }
  const regular: FoundFile[] = []
  for (const path of files) {
    const folder = folderOf(path)
    const names = namesIn.get(folder)
    if (names?.has(folder === '' ? path : path.slice(folder.length + 1)))
      regular.push({ path, filesInFolder: names.size })
    if (regular.length > filesVisitedMax) break
  }
  return regular
}

/** None of a folder below `start` that may not be read, or is elsewhere by now: it is passed over. */
async function entriesOf(
  inside: FilesInside,
  start: ConfinedPath,
  folder: string,
): Promise<Dirent[]> {
  const dir = {
    absolute: join(start.absolute, folder),
    relative: posix.join(start.relative, folder),
  }
  return inside.entries(dir).catch((error) => {
    if (folder === '' && error instanceof ToolError) throw error
    return []
  })
}

async function walk(
  inside: FilesInside,
  start: ConfinedPath,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    signal.throwIfAborted()
    const entries = await entriesOf(inside, start, below)
    const filesInFolder = entries.filter((entry) => entry.isFile()).length
    for (const entry of entries) {
      const path = posix.join(below, entry.name)
      if (entry.isDirectory() && !isNeverEntered(entry.name)) pending.push(path)
      else if (entry.isFile()) files.push({ path, filesInFolder })
    }
    if (files.length > filesVisitedMax) break
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Empty for a file directly in the directory. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
