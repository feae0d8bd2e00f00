/**
 * Git opens some files of a working tree, and those of its own folder, without checking what they are, and waits
 * forever for a named pipe in their place, as an agent can create. A process that opens and closes the other end makes
 * Git read an empty file and go on. Rules that Git would match for years (`endless-rules.ts`) are found in the same
 * files, and end the call.
 */
import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { readGitDir } from '../repository/git-dir.ts'
import { nearestRepository } from '../repository/nearest-repository.ts'
import { readIfPossible } from '../repository/read-git-file.ts'
import { endlessRuleIn } from './endless-rules.ts'

/** Git opens a file of one of these names in any folder. It checks the type of every other file. */
const openedUnchecked = /^\.(?:git(?:ignore|attributes|modules)|mailmap)$/i
/** Files with rules about paths; the last two are in Git's own folder. */
const rules = /^\.git(?:ignore|attributes)$/i
const ownRules = /^(?:exclude|attributes)$/

/** Hardly any call takes longer in a tree of ordinary size, so only then is the tree scanned. */
const firstScanMs = 1_000
/** The time between two scans is this many times that of a scan, because a tree may have a million files. */
const pauseFactor = 4
const pauseMsMin = 500
/** An honest repository borrows from one or two. */
const borrowedMax = 20
/** How often pipes that were found before are released. */
const releaseMs = 50

export interface PipeRelease {
  /**
   * Releases, until the returned function is called, Git from the pipes of the working tree that contains `cwd`, and of
   * other folders of Git. Calls `onEndless` with the reason if Git is matching a rule that it may never finish with; null:
   * the call matches none.
   */
  watch(
    cwd: string,
    others: readonly string[],
    onEndless: ((why: string) => void) | null,
  ): () => void
}

/** What Git may wait for. */
interface Found {
  pipes: Buffer[]
  rules: Buffer[]
  /** How many folders deep the deepest one is. */
  depth: number
}

/** Remembers pipes that were found, so that only the first call has to wait for a scan. */
export function createPipeRelease(): PipeRelease {
  const known = new Map<string, Buffer[]>()

  async function scan(
    cwd: string,
    others: readonly string[],
    onEndless: ((why: string) => void) | null,
    isOver: () => boolean,
    startedAtMs: number,
  ): Promise<void> {
    const found: Found = { pipes: [], rules: [], depth: 0 }
    const named = others.map((folder) => ({ folder, isGits: true }))
    for (const { folder, isGits } of [...foldersOf(cwd), ...named])
      await findFiles({ folder: Buffer.from(folder), isGits, depth: 0 }, found, isOver)
    if (isOver()) return
    if (found.pipes.length > 0) known.set(cwd, found.pipes)
    else known.delete(cwd)
    await releaseAll(found.pipes)
    const afterMs = performance.now() - startedAtMs
    for (const file of onEndless === null ? [] : found.rules) {
      const line = isOver() ? null : await endlessRuleIn(file, { depth: found.depth, afterMs })
      if (line === null || isOver()) continue
      onEndless?.(
        `line ${line} of ${file} has so many ** that Git might match it for years; delete it`,
      )
      return
    }
  }

  const watch: PipeRelease['watch'] = (cwd, others, onEndless) => {
    const calledAtMs = performance.now()
    let over = false
    const isOver = () => over
    let timer: NodeJS.Timeout
    const later = (ms: number, work: () => Promise<void>) => {
      // What can't be read or opened is what Git can't wait for.
      const next = () => void work().catch(() => undefined)
      if (!over) timer = setTimeout(next, ms).unref()
    }
    const scanAgain = async () => {
      const startedAtMs = performance.now()
      await scan(cwd, others, onEndless, isOver, calledAtMs).catch(() => undefined)
      const tookMs = performance.now() - startedAtMs
      later(Math.max(pauseMsMin, tookMs * pauseFactor), scanAgain)
    }
    const untilMs = performance.now() + firstScanMs
    const releaseKnown = async () => {
      await releaseAll(known.get(cwd) ?? [])
      if (performance.now() < untilMs) later(releaseMs, releaseKnown)
      else await scanAgain()
    }
    if (known.has(cwd)) later(releaseMs, releaseKnown)
    else later(firstScanMs, scanAgain)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }

  // Windows has no named pipes in folders.
  return process.platform === 'win32' ? { watch: () => () => {} } : { watch }
}

/** The working tree that contains a folder, and Git's own folders outside it. */
function foldersOf(cwd: string): { folder: string; isGits: boolean }[] {
  const top = nearestRepository(path.resolve(cwd)) ?? cwd
  const gits = readGitDir(top)
  const outside = gits === null ? [] : [...new Set([gits.gitDir, gits.commonDir])]
  return [
    { folder: top, isGits: false },
    ...outside
      .filter((folder) => folder !== path.join(top, '.git'))
      .map((folder) => ({ folder, isGits: true })),
    ...borrowedBy(gits?.commonDir ?? path.join(top, '.git')),
  ]
}

/** A repository may name folders of others, which Git looks for objects in. */
function borrowedBy(commonDir: string): { folder: string; isGits: boolean }[] {
  const objects = path.join(commonDir, 'objects')
  const named = readIfPossible(path.join(objects, 'info', 'alternates'))?.split('\n') ?? []
  return named
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, borrowedMax)
    .map((folder) => ({ folder: path.resolve(objects, folder), isGits: true }))
}

/** Adds the pipes and rules below a folder that Git would open. `isGits`: it is Git's own, in which Git opens any file. */
async function findFiles(
  { folder, isGits, depth }: { folder: Buffer; isGits: boolean; depth: number },
  found: Found,
  isOver: () => boolean,
): Promise<void> {
  if (isOver()) return
  found.depth = Math.max(found.depth, depth)
  const entries: Dirent<Buffer>[] = await readdir(folder, {
    withFileTypes: true,
    encoding: 'buffer',
  }).catch(() => [])
  for (const entry of entries) {
    const name = entry.name.toString('latin1')
    // As bytes: a name need not be UTF-8.
    const below = Buffer.concat([folder, Buffer.from(path.sep), entry.name])
    if (entry.isFIFO()) {
      if (isGits || openedUnchecked.test(name)) found.pipes.push(below)
    } else if (entry.isFile()) {
      if ((isGits ? ownRules : rules).test(name)) found.rules.push(below)
    } else if (entry.isDirectory()) {
      const inside = { folder: below, isGits: isGits || name === '.git', depth: depth + 1 }
      await findFiles(inside, found, isOver)
    }
  }
}

async function releaseAll(pipes: readonly Buffer[]): Promise<void> {
  const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  for (const pipe of pipes) {
    // Another file in its place by now would be opened without effect.
    if (!(await lstat(pipe).catch(() => null))?.isFIFO()) continue
    // Fails while nobody waits for it.
    const other = await open(pipe, O_WRONLY | O_NONBLOCK | O_NOFOLLOW).catch(() => null)
    await other?.close()
  }
}
