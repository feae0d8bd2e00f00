/** Finds files of a folder by a few letters, for a user who types a prompt. */
import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isGitName } from '../../../shared/git/git-names.ts'
import type { Git } from '../../git/index.ts'
import { pathWithin } from '../../journal/index.ts'
import { rankFiles } from './rank-files.ts'

/** `files` are relative to the folder, with `/`, best first. */
export type FindFiles = (dir: string, query: string, limit: number) => Promise<string[]>

/** While the user types, a recent list is good enough. */
const freshMs = 3_000
/** An older list is read again before it is used. */
const usableMs = 60_000
/** A list of 100,000 files takes some megabytes of memory. */
const foldersKept = 3
/** Without Git there are no ignore rules, so a walk may find any number of files. */
const walkedMax = 50_000

interface Listing {
  /** The last list; null if none was read yet. */
  files: readonly string[] | null
  /** The `clock` in milliseconds when `files` was read. */
  readAt: number
  reading: Promise<readonly string[]> | null
}

/**
 * Lists files with Git, without ignored ones; elsewhere without `node_modules`. Skips unreadable
 * folders.
 */
export function createFindFiles({
  git,
  clock,
  dataDir = null,
}: {
  git: Pick<Git, 'listFiles'>
  clock: () => number
  /** The data directory, whose files are not listed; null for none. */
  dataDir?: string | null
}): FindFiles {
  /** The most recently used last. */
  const listings = new Map<string, Listing>()

  function read(dir: string, listing: Listing): Promise<readonly string[]> {
    listing.reading ??= list(dir)
      .then((files) => {
        listing.files = files
        listing.readAt = clock()
        return files
      })
      .finally(() => {
        listing.reading = null
      })
    return listing.reading
  }

  async function list(dir: string): Promise<readonly string[]> {
    const listed = await git.listFiles(dir, {})
    return listed && listed.length > 0 ? listed : walk(dir, dataDir)
  }

  return async (dir, query, limit) => {
    const listing = listings.get(dir) ?? { files: null, readAt: 0, reading: null }
    listings.delete(dir)
    listings.set(dir, listing)
    const [oldest] = listings.keys()
    if (listings.size > foldersKept && oldest !== undefined) listings.delete(oldest)
    const age = clock() - listing.readAt
    const reading = age > freshMs ? read(dir, listing) : null
    // The error is reported to the caller that awaits it.
    reading?.catch(() => undefined)
    const files = listing.files && age <= usableMs ? listing.files : await read(dir, listing)
    return rankFiles(files, query, limit)
  }
}

const isSkipped = (folder: string) => folder === 'node_modules' || isGitName(folder)

const realPathOf = async (folder: string | null): Promise<string | null> =>
  folder === null ? null : realpath(folder).catch(() => null)

/** Does not follow links. */
async function walk(dir: string, dataDir: string | null): Promise<string[]> {
  const [root, record] = await Promise.all([dir, dataDir].map(realPathOf))
  const withheld = root && record ? pathWithin(root, record) : null
  const files: string[] = []
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const entries = await readdir(join(dir, below), { withFileTypes: true }).catch(
      (): Dirent[] => [],
    )
    for (const entry of entries) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && path !== withheld && !isSkipped(entry.name))
        pending.push(path)
    }
    if (files.length > walkedMax) break
  }
  return files.sort()
}
