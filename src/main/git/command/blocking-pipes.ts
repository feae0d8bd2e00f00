/**
 * Git opens some files of a working tree, and those of its own folder, without checking what they are, and waits
 * forever for a named pipe in their place, as an agent can create. A process that opens and closes the other end makes
 * Git read an empty file and go on. Rules that Git would match for years (`endless-rules.ts`), and devices among its own
 * files, of which it may read without end (`/dev/zero`) or wait (a terminal), are found in the same folders, and end the
 * call.
 */
import { constants, type Dirent } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import path from 'node:path'
import { readGitDir } from '../repository/git-dir.ts'
import { nearestRepository } from '../repository/nearest-repository.ts'
import { folderNamedBy, withoutLineEnd } from '../repository/read-git-file.ts'
import { endlessRuleIn } from './endless-rules.ts'
import { borrowedBy, objectsIn, textOf, tooManyBorrowed } from './named-folders.ts'

/** Git opens a file of one of these names in any folder. It checks the type of every other file. */
const openedUnchecked = /^\.(?:git(?:ignore|attributes|modules)|mailmap)$/i
/** Files with rules about paths; the last three are in Git's own folder. */
const rules = /^\.git(?:ignore|attributes)$/i
const ownRules = /^(?:exclude|attributes|sparse-checkout)$/

/** Hardly any call takes longer in a tree of ordinary size, so only then is the tree scanned. */
const firstScanMs = 1_000
/** The time between two scans is this many times that of a scan, because a tree may have a million files. */
const pauseFactor = 4
const pauseMsMin = 500
/**
 * Folders in Git's own that it may open files in: only these are followed where they are links or elsewhere, because
 * pipes of other programs are to be left alone.
 */
const gitsFolders =
  /^(?:objects|info|pack|[0-9a-f]{2}|refs|heads|tags|remotes|shiplog|logs|worktrees|modules|branches)$/
/** How often pipes that were found before are released. */
const releaseMs = 50

export interface PipeRelease {
  /**
   * Releases, until the returned function is called, Git from the pipes of the working tree that contains `cwd`, and of
   * other folders of Git.
   */
  watch(cwd: string, others: readonly string[], call: WatchedCall): () => void
}

interface WatchedCall {
  /** Whether Git matches rules about paths in it. */
  matchesRules: boolean
  /** Called with the reason if Git may never finish with it. */
  onEndless(why: string): void
}

/** What Git may wait for. */
interface Found {
  pipes: Buffer[]
  devices: Buffer[]
  rules: Buffer[]
  /** How many folders deep the deepest one is. */
  depth: number
  /** The folders that were scanned, by device and inode: links may lead to one again. */
  scanned: Set<string>
}

/** A folder to be scanned. */
interface Folder {
  folder: Buffer
  /** It is Git's own, in which Git opens any file. */
  isGits: boolean
  /** It is reached by a link, or named by a file: only `gitsFolders` in it are Git's. */
  isElsewhere: boolean
  depth: number
}

/** Remembers pipes that were found, so that only the first call has to wait for a scan. */
export function createPipeRelease(): PipeRelease {
  const known = new Map<string, Buffer[]>()

  async function scan(
    cwd: string,
    others: readonly string[],
    { matchesRules, onEndless }: WatchedCall,
    isOver: () => boolean,
    startedAtMs: number,
  ): Promise<void> {
    const found: Found = { pipes: [], devices: [], rules: [], depth: 0, scanned: new Set() }
    const borrowed = borrowedBy([...objectsOf(cwd), ...others.flatMap(objectsIn)])
    if (borrowed === null) return onEndless(tooManyBorrowed)
    const named = [...others.map((one) => Buffer.from(one)), ...borrowed]
    const gits = named.map((folder) => ({ folder, isGits: true }))
    for (const first of [...foldersOf(cwd), ...gits])
      await findFiles({ ...first, isElsewhere: false, depth: 0 }, found, isOver)
    if (isOver()) return
    if (found.pipes.length > 0) known.set(cwd, found.pipes)
    else known.delete(cwd)
    await releaseAll(found.pipes)
    const [device] = found.devices
    if (device) return onEndless(`${device} is a device, not a file: remove it`)
    const afterMs = performance.now() - startedAtMs
    for (const file of matchesRules ? found.rules : []) {
      const why = isOver() ? null : await endlessRuleIn(file, { depth: found.depth, afterMs })
      if (why === null || isOver()) continue
      onEndless(why)
      return
    }
  }

  const watch: PipeRelease['watch'] = (cwd, others, call) => {
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
      await scan(cwd, others, call, isOver, calledAtMs).catch(() => undefined)
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
function foldersOf(cwd: string): { folder: Buffer; isGits: boolean }[] {
  const top = nearestRepository(path.resolve(cwd)) ?? cwd
  const gits = readGitDir(top)
  const outside = gits === null ? [] : [...new Set([gits.gitDir, gits.commonDir])]
  return [
    { folder: Buffer.from(top), isGits: false },
    ...outside
      .filter((folder) => folder !== path.join(top, '.git'))
      .map((folder) => ({ folder: Buffer.from(folder), isGits: true })),
  ]
}

/** The folders with the objects of the repository that contains a folder. */
function objectsOf(cwd: string): string[] {
  const top = nearestRepository(path.resolve(cwd)) ?? cwd
  return [path.join(readGitDir(top)?.commonDir ?? path.join(top, '.git'), 'objects')]
}

/** Adds the pipes and rules below a folder that Git would open. */
async function findFiles(at: Folder, found: Found, isOver: () => boolean): Promise<void> {
  if (isOver()) return
  const { folder, isGits, isElsewhere, depth } = at
  if (isGits) {
    const itself = await stat(folder).catch(() => null)
    const key = `${itself?.dev}:${itself?.ino}`
    if (itself === null || found.scanned.has(key)) return
    found.scanned.add(key)
  }
  found.depth = Math.max(found.depth, depth)
  const entries: Dirent<Buffer>[] = await readdir(folder, {
    withFileTypes: true,
    encoding: 'buffer',
  }).catch(() => [])
  for (const entry of entries) {
    const name = entry.name.toString('latin1')
    // As bytes: a name need not be UTF-8.
    const below = Buffer.concat([folder, Buffer.from(path.sep), entry.name])
    const isDotGit = !isGits && name === '.git'
    // Git follows links in its own folders, and to them.
    const isLink = (isGits || isDotGit) && entry.isSymbolicLink()
    const kind = isLink ? await stat(below).catch(() => null) : entry
    if (kind?.isFIFO()) {
      if (isGits || openedUnchecked.test(name)) found.pipes.push(below)
    } else if (kind?.isCharacterDevice() || kind?.isBlockDevice()) {
      if (isGits && !(await isNull(below))) found.devices.push(below)
    } else if (kind?.isFile()) {
      if (isGits && ownRules.test(name)) found.rules.push(await targetOf(below))
      if (!isGits && rules.test(name)) found.rules.push(below)
      if (isDotGit && depth > 0)
        for (const other of foldersNamedIn(below)) await findFiles(other, found, isOver)
    } else if (kind?.isDirectory()) {
      if ((isLink || isElsewhere) && !isDotGit && !gitsFolders.test(name)) continue
      const inside = {
        folder: below,
        isGits: isGits || isDotGit,
        isElsewhere: isElsewhere || isLink,
        depth: depth + 1,
      }
      await findFiles(inside, found, isOver)
    }
  }
}

/** Git follows a link to its own rules, but not to those of a working tree. */
const targetOf = (file: Buffer): Promise<Buffer> =>
  realpath(file, { encoding: 'buffer' }).catch(() => file)

/** Git reads `/dev/null`, to which some people link what they want to be empty, as an empty file. */
async function isNull(device: Buffer): Promise<boolean> {
  const rdevOf = (file: Buffer | string) =>
    stat(file).then(
      ({ rdev }) => rdev,
      () => null,
    )
  const found = await rdevOf(device)
  return found === null || found === (await rdevOf(devNull))
}

/** The folders of a nested repository whose `.git` is a file: Git reads its HEAD and the branch. */
function foldersNamedIn(dotGit: Buffer): Folder[] {
  const file = dotGit.toString('latin1')
  const target = folderNamedBy(textOf(file) ?? '')
  if (target === undefined) return []
  const gitDir = path.resolve(path.dirname(file), target)
  const common = withoutLineEnd(textOf(path.join(gitDir, 'commondir')) ?? '')
  return [gitDir, path.resolve(gitDir, common)].map((folder) => ({
    folder: Buffer.from(folder, 'latin1'),
    isGits: true,
    isElsewhere: true,
    depth: 0,
  }))
}

async function releaseAll(pipes: readonly Buffer[]): Promise<void> {
  const { O_WRONLY, O_NONBLOCK } = constants
  for (const pipe of pipes) {
    // Another file in its place by now would be opened without effect.
    if (!(await stat(pipe).catch(() => null))?.isFIFO()) continue
    // Fails while nobody waits for it.
    const other = await open(pipe, O_WRONLY | O_NONBLOCK).catch(() => null)
    await other?.close()
  }
}
