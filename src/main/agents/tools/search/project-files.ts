import type { Dirent } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { isGitName } from '../../../../shared/git/git-names.ts'
import { filterInTime, PatternError } from '../../../globs/bounded-glob.ts'
import { fileError } from '../files/file-error.ts'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import { ToolError } from '../tool.ts'

/** More than the largest repositories have. Bounds the memory. */
const filesVisitedMax = 500_000
/** Larger files are data or build products: not what a search through sources is for. */
export const searchedFileBytesMax = 2 * 1024 * 1024
/** Enough to keep the disk busy without occupying the thread pool. */
const foldersAtOnce = 16

const isSkippedFolder = (name: string) => name === 'node_modules' || isGitName(name)

/**
 * Resolves with the files below a folder that Git does not ignore, relative to it and sorted, deleted ones included; null
 * if Git can't list them.
 */
export type FilesOfGit = (dir: string, options: { signal: AbortSignal }) => Promise<string[] | null>

export interface FoundFile {
  /** Relative to the working directory, `/` as separator. */
  path: string
  /** The number of regular files in its folder, ignored ones included; 1 if only this file is known. */
  filesInFolder: number
}

interface ProjectFiles {
  /** Sorted by path. Regular files only. */
  files: FoundFile[]
  /** True if there are more than `filesVisitedMax`. */
  truncated: boolean
}

/**
 * Resolves with the files below a directory of the working directory, or the one file at `path`. Leaves out files that
 * Git ignores, and outside of a repository `node_modules`. Does not follow symbolic links. A glob without `/` matches
 * file names at any depth, any other matches paths below the directory. Rejects with ToolError.
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
  const wanted = glob ? matching(below, glob) : below
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

function matching(files: FoundFile[], glob: string): FoundFile[] {
  const isAboutPaths = glob.includes('/')
  try {
    return filterInTime(files, glob, ({ path }) => (isAboutPaths ? path : basename(path)))
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new ToolError(`glob: ${error.message} Use a simpler one.`, error)
  }
}

/** Resolves with null without a repository or Git, and for a directory that Git ignores. */
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

/** Removes symbolic links, submodules and deleted files from Git's list. Lists each folder once instead of checking each file. */
async function regularFiles(
  inside: FilesInside,
  start: ConfinedPath,
  files: string[],
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const regularNames = new Map<string, Set<string>>()
  const folders = [...new Set(files.map(folderOf))]
  for (let from = 0; from < folders.length; from += foldersAtOnce) {
    signal.throwIfAborted()
    const some = folders.slice(from, from + foldersAtOnce)
    await Promise.all(
      some.map(async (folder) => {
        const entries = await entriesOf(inside, start, folder)
        regularNames.set(
          folder,
          new Set(entries.filter((each) => each.isFile()).map(({ name }) => name)),
        )
      }),
    )
  }
  const regular: FoundFile[] = []
  for (const path of files) {
    const folder = folderOf(path)
    const names = regularNames.get(folder)
    if (names?.has(folder === '' ? path : path.slice(folder.length + 1)))
      regular.push({ path, filesInFolder: names.size })
    if (regular.length > filesVisitedMax) break
  }
  return regular
}

/** Resolves with an empty list for a folder below `start` that can't be read, was replaced, or is the data directory. */
async function entriesOf(
  inside: FilesInside,
  start: ConfinedPath,
  folder: string,
): Promise<Dirent[]> {
  const dir = {
    absolute: join(start.absolute, folder),
    relative: posix.join(start.relative, folder),
  }
  if (await inside.isWithheld(start, dir.absolute)) return []
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
      if (entry.isDirectory() && !isSkippedFolder(entry.name)) pending.push(path)
      else if (entry.isFile()) files.push({ path, filesInFolder })
    }
    if (files.length > filesVisitedMax) break
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns the folder of a path; empty for a file directly in the directory. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
