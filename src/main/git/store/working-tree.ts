/**
 * Finds the differences between a working tree and an index, without files that are ignored or too
 * large to be stored with each turn.
 */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { totalBytes } from '../../../shared/collections/total-bytes.ts'
import {
  untrackedFileBytesMax,
  untrackedFolderBytesMax,
  untrackedFolderFilesMax,
} from '../../../shared/records/entry-types/files.ts'
import { fields, type RunGit } from '../command/run-git.ts'
import { dataDirIn } from '../repository/data-dir.ts'
import { type Unstorable, unreadableFolders } from '../snapshots/index-updates.ts'
import { mapConcurrently } from '../update/map-concurrently.ts'

/**
 * A path whose content is in no tree, with the reason. `repository`: one inside the working tree that is no submodule;
 * `special`: a pipe, a socket or a device in the place of a tracked file.
 */
export interface NotStored {
  /** Relative to the top level, `/` as separator, without a slash at its end. */
  path: string
  why: 'repository' | 'file-bytes' | 'folder-bytes' | 'folder-files' | Unstorable['why']
  /** Size of the file or of all files in the folder; null if unknown. */
  bytes: number | null
}

export interface Work {
  /** Paths to add to the index, each with its NUL, as bytes because a name need not be UTF-8. */
  names: Buffer[]
  /** Paths to remove from it: untracked files that are now too large. */
  dropped: Buffer[]
  notStored: NotStored[]
  /** A file with ignore rules changed. */
  ignoresChanged: boolean
}

/** Lists of names in memory: larger ones are counted folder by folder. */
const listBytesMax = 16 * 1024 * 1024

type Run = { cwd: string; env: Record<string, string>; signal: AbortSignal | undefined }

/** Compares the working tree with the index in `indexFile`. Throws GitError, or the signal's reason. */
export async function findWork(
  git: RunGit,
  topLevel: string,
  indexFile: string,
  signal: AbortSignal | undefined,
): Promise<Work> {
  const run = { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal }
  const dataDir = await dataDirIn(git, topLevel)
  const which = ['--others', '--modified', '--deleted', '--exclude-standard', ...dataDir.exclude]
  const listed = await git(['ls-files', '-z', '-t', ...which], {
    ...run,
    stdoutBytesMax: listBytesMax,
    cut: true,
  })
  const entries = listed.truncated ? null : readEntries(listed.stdout)
  const { changed: tracked, others } = entries ?? {
    changed: readEntries((await git(['ls-files', '-z', '-t', '-m', '-d'], run)).stdout).changed,
    others: null,
  }
  // Somebody may have committed it once.
  const changed = tracked.filter((name) => !dataDir.holds(name))
  const untracked = await storable(git, run, others, dataDir.exclude)
  const grown = await tooLargeOf(topLevel, changed)
  const isTracked =
    grown.length > 0
      ? await trackedIn(
          git,
          run,
          grown.map(({ name }) => name),
        )
      : new Set<string>()
  const without = new Set(
    grown.flatMap(({ name }) => (isTracked.has(key(name)) ? [] : [key(name)])),
  )
  const names = [...changed.filter((name) => !without.has(key(name))), ...untracked.names]
  return {
    names,
    dropped: grown.flatMap(({ name }) => (without.has(key(name)) ? [name] : [])),
    notStored: [
      ...untracked.notStored,
      ...unreadableFolders(listed.stderr).map(({ name, why }) => notStored(name, why, null)),
      ...grown
        .filter(({ name }) => without.has(key(name)))
        .map(({ name, bytes }) => notStored(name, 'file-bytes', bytes)),
    ],
    ignoresChanged: names.some((name) => /(^|\/)\.gitignore\0$/.test(name.toString('latin1'))),
  }
}

function readEntries(stdout: Buffer): { changed: Buffer[]; others: Buffer[] } {
  const changed: Buffer[] = []
  const others: Buffer[] = []
  for (let start = 0; start < stdout.length; ) {
    const end = stdout.indexOf(0, start)
    const name = stdout.subarray(start + 2, end + 1)
    ;(stdout[start] === 0x3f ? others : changed).push(name)
    start = end + 1
  }
  // Deleted files are listed as modified too.
  return { changed: [...new Map(changed.map((name) => [key(name), name])).values()], others }
}

const key = (name: Buffer): string => name.toString('latin1')
const isFolder = (name: Buffer): boolean => name[name.length - 2] === 0x2f

/** `others` are untracked paths; null if there are too many to list at once. */
async function storable(
  git: RunGit,
  run: Run,
  others: Buffer[] | null,
  exclude: readonly string[],
): Promise<{ names: Buffer[]; notStored: NotStored[] }> {
  if (others === null) return storableByFolder(git, run, exclude)
  const repositories = others.filter(isFolder).map((name) => notStored(name, 'repository', null))
  const files = others.filter((name) => !isFolder(name))
  const { small, large } = await bySize(run.cwd, files)
  const bytes = totalBytes(small)
  if (small.length > untrackedFolderFilesMax || bytes > untrackedFolderBytesMax)
    return storableByFolder(git, run, exclude)
  return {
    names: small.map(({ name }) => name),
    notStored: [
      ...repositories,
      ...large.map(({ name, bytes: size }) => notStored(name, 'file-bytes', size)),
    ],
  }
}

/** Untracked files outside untracked folders are checked one by one. */
async function storableByFolder(
  git: RunGit,
  run: Run,
  exclude: readonly string[],
): Promise<{ names: Buffer[]; notStored: NotStored[] }> {
  const others = ['ls-files', '-z', '-t', '--others', '--exclude-standard', ...exclude]
  const top = readEntries((await git([...others, '--directory'], run)).stdout).others
  const names: Buffer[] = []
  const left: NotStored[] = []
  const take = async (folder: Buffer | null, files: Buffer[]) => {
    const { small, large } = await bySize(run.cwd, files)
    const bytes = totalBytes(small)
    const why =
      small.length > untrackedFolderFilesMax
        ? 'folder-files'
        : bytes > untrackedFolderBytesMax
          ? 'folder-bytes'
          : null
    if (folder !== null && why !== null) {
      left.push(notStored(folder, why, bytes))
      return
    }
    for (const { name } of small) names.push(name)
    for (const { name, bytes: size } of large) left.push(notStored(name, 'file-bytes', size))
  }
  await take(
    null,
    top.filter((name) => !isFolder(name)),
  )
  for (const folder of top.filter(isFolder)) {
    const name = folder.toString('utf8', 0, folder.length - 1)
    const listed = await git([...others, '--', name], {
      ...run,
      stdoutBytesMax: listBytesMax,
      cut: true,
    })
    if (listed.truncated) {
      left.push(notStored(folder, 'folder-files', null))
      continue
    }
    const inside = readEntries(listed.stdout).others
    for (const one of inside.filter(isFolder)) left.push(notStored(one, 'repository', null))
    await take(
      folder,
      inside.filter((one) => !isFolder(one)),
    )
  }
  return { names, notStored: left }
}

interface Sized {
  name: Buffer
  bytes: number
}

async function bySize(
  topLevel: string,
  names: Buffer[],
): Promise<{ small: Sized[]; large: Sized[] }> {
  const sized = await mapConcurrently(names, async (name) => ({
    name,
    bytes: await fileSize(topLevel, name),
  }))
  return {
    small: sized.filter(({ bytes }) => bytes <= untrackedFileBytesMax),
    large: sized.filter(({ bytes }) => bytes > untrackedFileBytesMax),
  }
}

async function tooLargeOf(topLevel: string, names: Buffer[]): Promise<Sized[]> {
  return (await bySize(topLevel, names)).large
}

/** Returns 0 if it was deleted. */
async function fileSize(topLevel: string, name: Buffer): Promise<number> {
  const file = Buffer.concat([Buffer.from(topLevel + path.sep), name.subarray(0, -1)])
  return lstat(file).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  )
}

/** Returns the keys of the paths that are in the user's own index. */
async function trackedIn(git: RunGit, { cwd, signal }: Run, names: Buffer[]): Promise<Set<string>> {
  const paths = names.map((name) => name.toString('utf8', 0, name.length - 1))
  const listed = await git(['ls-files', '-z', '--', ...paths], { cwd, signal })
  return new Set(fields(listed.stdout).map((name) => key(Buffer.from(`${name}\0`))))
}

export function notStored(name: Buffer, why: NotStored['why'], bytes: number | null): NotStored {
  const end = name.length - (isFolder(name) ? 2 : 1)
  return { path: name.toString('utf8', 0, end), why, bytes }
}
