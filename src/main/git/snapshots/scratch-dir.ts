/** Temporary folders of single operations. A killed process leaves its own behind; a later start removes it. */
import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const namePrefix = 'shiplog-git-'
/** The prefix and what `mkdtemp` adds to it. */
const scratchName = /^shiplog-git-[A-Za-z0-9]{6}$/

/** No operation takes so long, so the process that created the folder has ended. */
const abandonedMs = 24 * 60 * 60 * 1000

export async function withScratchDir<Result>(
  use: (scratchDir: string) => Promise<Result>,
): Promise<Result> {
  const scratchDir = await makeScratchDir()
  try {
    return await use(scratchDir)
  } finally {
    await rm(scratchDir, { recursive: true, force: true })
  }
}

/** Where they are created, best first: `TMPDIR` may be missing. */
const parents = (): string[] => [...new Set([tmpdir(), '/tmp', '/var/tmp'])]

async function makeScratchDir(): Promise<string> {
  const failures: unknown[] = []
  for (const parent of parents()) {
    try {
      return await mkdtemp(path.join(parent, namePrefix))
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures[0]
}

/**
 * Removes scratch folders of killed processes: own folders that have not changed for a day. Follows
 * no link, and leaves a shared folder alone in which others could replace ours meanwhile. Resolves
 * with how many it removed; never throws.
 */
export async function removeOldScratchDirs(nowMs: number, within = parents()): Promise<number> {
  const found = await Promise.all(within.map((parent) => abandonedIn(parent, nowMs)))
  const removed = await Promise.all(
    found.flat().map((dir) =>
      rm(dir, { recursive: true, force: true }).then(
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
    if (!scratchName.test(name)) continue
    const dir = path.join(parent, name)
    const entry = await lstat(dir).catch(() => null)
    if (!entry?.isDirectory() || !isOwn(entry.uid)) continue
    if (nowMs - entry.mtimeMs > abandonedMs) abandoned.push(dir)
  }
  return abandoned
}

/** Windows has no such bits, and its temporary folder belongs to the user. */
const isWritableByOthers = (mode: number): boolean =>
  process.platform !== 'win32' && (mode & 0o022) !== 0
const isSticky = (mode: number): boolean => (mode & 0o1000) !== 0
const isOwn = (uid: number): boolean => process.getuid === undefined || uid === process.getuid()
