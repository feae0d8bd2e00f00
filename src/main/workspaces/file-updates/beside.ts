/** Writes new contents to temporary files beside their targets, durably, before any target changes. */
import { lstat, open, readdir, symlink, unlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type Content, type Git, mapConcurrently } from '../../git/index.ts'
import { writeFully } from '../../journal/index.ts'
import { absentOr, type Swap } from './file-state.ts'
import { type At, type HeldRoot, inFolder } from './held-folders.ts'

/** More are not faster, because all wait for the disk. */
const writesAtOnce = 8

/** The name prefix of an update's temporary files, by which the next start finds those left by a crash. */
export const temporaryPrefix = (updateId: string): string => `.shiplog-update-${updateId}-`

/** A temporary file: its folder, relative to the root, and its name. */
export interface Beside {
  dir: string
  name: string
  /** Set once it is written; null for a link. */
  owner: Owner | null
}

/** The user and group that own a file. Both are 0 on Windows. */
export interface Owner {
  uid: number
  gid: number
}

/** Resolves with the temporary file of each swap that writes a file. Throws the disk's error. */
export async function writeBeside(
  { git, root, updateId }: { git: Pick<Git, 'readContents'>; root: HeldRoot; updateId: string },
  swaps: readonly Swap[],
): Promise<Map<Swap, Beside>> {
  const beside = new Map<Swap, Beside>()
  const wanted: { content: Content; temporary: Beside }[] = []
  const nearest = await nearestDirs(root.path, swaps)
  for (const [n, swap] of swaps.entries()) {
    if (!swap.to) continue
    const dir = nearest.get(posix.dirname(swap.path)) ?? '.'
    const temporary: Beside = { dir, name: `${temporaryPrefix(updateId)}${n}`, owner: null }
    beside.set(swap, temporary)
    wanted.push({ content: swap.to, temporary })
  }
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  await git.readContents(root.path, wanted, async ({ content, temporary }, bytes) => {
    if (failures.length > 0) throw failures[0]
    const write = () =>
      inFolder(root, temporary.dir, async (at) => {
        temporary.owner = await writeOne(at(temporary.name), content, bytes)
      })
    if (!Buffer.isBuffer(bytes)) return write()
    while (underWay.size >= writesAtOnce) await Promise.race(underWay)
    const writing = write()
      .catch((error) => void failures.push(error))
      .finally(() => underWay.delete(writing))
    underWay.add(writing)
  })
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
  return beside
}

/** Removes the files of this update that a kill or a failure left behind. */
export async function removeBeside(
  root: HeldRoot,
  updateId: string,
  swaps: readonly Swap[],
): Promise<void> {
  const dirs = await mapConcurrently([...parentsOf(swaps)], (parent) =>
    dirsAbove(root.path, parent),
  )
  const remove = async (at: At) => {
    for (const name of await readdir(at('.')))
      if (name.startsWith(temporaryPrefix(updateId))) await unlink(at(name)).catch(absentOr)
  }
  for (const dir of new Set(dirs.flat())) await inFolder(root, dir, remove).catch(absentOr)
}

const parentsOf = (swaps: readonly Swap[]): ReadonlySet<string> =>
  new Set(swaps.map(({ path }) => posix.dirname(path)))

/** Returns for each path's folder the nearest existing one at or above it. */
async function nearestDirs(
  root: string,
  swaps: readonly Swap[],
): Promise<ReadonlyMap<string, string>> {
  const parents = [...parentsOf(swaps)]
  const there = await mapConcurrently(parents, (parent) => dirsAbove(root, parent))
  return new Map(parents.map((parent, at) => [parent, there[at]?.at(-1) ?? '.']))
}

/** Returns the existing folders of a relative path, itself included, from the root (`.`) down. */
async function dirsAbove(root: string, parent: string): Promise<string[]> {
  const dirs = ['.']
  let dir = '.'
  for (const name of parent.split('/')) {
    dir = posix.join(dir, name)
    if (!(await lstat(join(root, dir)).catch(absentOr))?.isDirectory()) break
    if (dir !== '.') dirs.push(dir)
  }
  return dirs
}

async function writeOne(
  file: string,
  { kind, mode }: Content,
  bytes: Buffer | ((fd: number) => Promise<void>),
): Promise<Owner | null> {
  if (kind === 'link') {
    if (Buffer.isBuffer(bytes)) await symlink(bytes, file)
    return null
  }
  const handle = await open(file, 'wx', mode)
  try {
    if (Buffer.isBuffer(bytes)) await writeFully(handle, bytes)
    else await bytes(handle.fd)
    // The umask of this process must not narrow the existing permissions.
    await handle.chmod(mode)
    await handle.sync()
    const { uid, gid } = await handle.stat()
    return { uid, gid }
  } finally {
    await handle.close()
  }
}
