/**
 * Temporary folders of single operations. A killed process leaves its own behind; a later start removes it.
 *
 * They are in the data directory, which a command in a sandbox can't write. In the system's temporary folder, which it
 * can, it could replace an index or a checked-out folder by a link, through which Git would then write any file.
 */
import { lstat, mkdir, mkdtemp, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { dayMs } from '../../../shared/durations.ts'
import { removeTree } from '../../open-folders/remove-tree.ts'
import type { RunGit } from '../command/run-git.ts'

/** Names contain the id of the process that uses the folder, and the suffix of `mkdtemp`. */
const ownPrefix = `shiplog-git-${process.pid}-`
const scratchName = /^shiplog-git-(\d+)-[A-Za-z0-9]{6}$/

/**
 * Ids of processes in a container that shares the temporary folder mean nothing here, so age decides. No operation
 * takes this long.
 */
const abandonedMs = dayMs

/**
 * Calls `use` with a new temporary folder and deletes it afterwards. Throws the system's error if none can be created.
 */
export async function withScratchDir<Result>(
  { scratchParent }: Pick<RunGit, 'scratchParent'>,
  use: (scratchDir: string) => Promise<Result>,
): Promise<Result> {
  const scratchDir =
    scratchParent === null ? await makeScratchDir() : await makeScratchDirIn(scratchParent)
  try {
    return await use(scratchDir)
  } finally {
    await removeTree(scratchDir)
  }
}

async function makeScratchDirIn(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(path.join(parent, ownPrefix))
}

/** Folders to create them in, in order of preference: `TMPDIR` may not exist. */
const parents = (): string[] => [...new Set([tmpdir(), '/tmp', '/var/tmp'])]

async function makeScratchDir(): Promise<string> {
  const failures: unknown[] = []
  for (const parent of parents()) {
    try {
      return await mkdtemp(path.join(parent, ownPrefix))
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures[0]
}

/**
 * Removes scratch folders of killed processes: this user's folders that have not changed for a day and whose process is
 * gone, because the clock alone may be wrong. Follows no link, and skips shared folders in which other users could
 * replace entries meanwhile. Resolves with how many it removed; never throws.
 */
export async function removeOldScratchDirs(
  nowMs: number,
  within: readonly string[] = parents(),
): Promise<number> {
  const found = await Promise.all(within.map((parent) => abandonedIn(parent, nowMs)))
  const removed = await Promise.all(
    found.flat().map((dir) =>
      removeTree(dir).then(
        () => true,
        () => false,
      ),
    ),
  )
  return removed.filter(Boolean).length
}

async function abandonedIn(parent: string, nowMs: number): Promise<string[]> {
  const shared = await stat(parent).catch(() => null)
  if (shared === null || (isWritableByOthers(shared.mode) && !isSticky(shared.mode))) return []
  const names: string[] = await readdir(parent).catch(() => [])
  const abandoned: string[] = []
  for (const name of names) {
    const [, processId] = scratchName.exec(name) ?? []
    if (processId === undefined || isRunning(Number(processId))) continue
    const dir = path.join(parent, name)
    const entry = await lstat(dir).catch(() => null)
    if (!entry?.isDirectory() || !isOwn(entry.uid)) continue
    if (nowMs - entry.mtimeMs > abandonedMs) abandoned.push(dir)
  }
  return abandoned
}

/** Also true if the id was reused by another process: then a later call removes the folder. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Windows has no such bits, and its temporary folder belongs to the user. */
const isWritableByOthers = (mode: number): boolean =>
  process.platform !== 'win32' && (mode & 0o022) !== 0
const isSticky = (mode: number): boolean => (mode & 0o1000) !== 0
const isOwn = (uid: number): boolean => process.getuid === undefined || uid === process.getuid()
