// Crash-safe moves, within one file system and across two (R2). See FORMAT.md, "Moves". Uses only
// primitives that a recorded trace can see: no cp, no copyFile.
import type { Stats } from 'node:fs'
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  symlink,
} from 'node:fs/promises'
import path from 'node:path'
import { chunksOf } from '../byte-ranges.ts'
import { systemCode } from '../errors.ts'
import { openDataFile } from './data-file.ts'
import { exists, renameDurable, syncDirectory, writeFully, writeNewFile } from './durable-files.ts'
import { type RawPath, rawJoin } from './raw-path.ts'
import { removeDurable } from './remove.ts'
import { setAside } from './set-aside.ts'

/** An unfinished copy beside its target, published by one rename. Its source is still whole. */
const stagedSuffix = '.shiplog-staged'
/** A source folder whose copy was verified and published: it only remains to be deleted. */
const movedSuffix = '.shiplog-moved'

/**
 * Reports whether the name is one that a crash during a move leaves behind. Deleting such a file
 * loses nothing.
 */
export const isLeftOfMove = (name: string): boolean =>
  name.endsWith(stagedSuffix) || name.endsWith(movedSuffix)

/** The copy on the other file system differs from the source, which is unchanged. */
export class MoveError extends Error {
  readonly kind = 'move-failed'
}

/**
 * Moves a file or a folder durably. Within one file system this is one rename, whatever the size;
 * across two, the source is copied beside the target, read back and compared, published by rename,
 * and only then deleted (R2). After a crash at any point a second call completes the move. A
 * missing `from` is no error: it was moved before.
 *
 * Different content already at `to` is kept as `<to>.older-<n>`; with `rival: 'newer'` it stays,
 * and the moved one gets that name. Across file systems a symbolic link is copied as a link, and a
 * pipe, socket or device, which holds no data, is replaced by an empty file whose name records its
 * type.
 *
 * With `leaveCopied` the source may stay after a copy across file systems, because the caller
 * deletes the folder around it.
 */
export async function moveDurable(
  from: string,
  to: string,
  {
    rival = 'older',
    leaveCopied = false,
  }: { rival?: 'older' | 'newer'; leaveCopied?: boolean } = {},
): Promise<void> {
  await dropLeftovers(from, to)
  if (!(await exists(from))) return makeNamesDurable(from, to)
  const target = rival === 'older' ? to : await placeBeside(from, to)
  if (await exists(target)) {
    // Published before a crash, or a crash left both names of one file.
    if (await holdsTheSame(from, target)) return leaveCopied ? undefined : retire(from)
    await setAside(target, 'older')
  }
  try {
    await renameDurable(from, target)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    await publishCopy(from, target)
    if (!leaveCopied) await retire(from)
  }
}

/** Reports whether `copy` holds what a copy of `original` would: names, links and every byte. */
export async function holdsTheSame(original: RawPath, copy: RawPath): Promise<boolean> {
  const [known, found] = await Promise.all([lstat(original), lstat(copy)])
  if (known.isDirectory()) return found.isDirectory() && sameFolder(original, copy)
  if (known.isFile())
    return found.isFile() && known.size === found.size && sameBytes(original, copy)
  if (known.isSymbolicLink())
    return found.isSymbolicLink() && (await targetOf(original)).equals(await targetOf(copy))
  return found.isFile() && found.size === 0
}

async function dropLeftovers(from: string, to: string): Promise<void> {
  for (const left of [`${from}${movedSuffix}`, `${to}${stagedSuffix}`]) {
    if (await exists(left)) await removeDurable(left)
  }
}

/** Syncs both folders, because the process that renamed the file may have died before doing so. */
async function makeNamesDurable(from: string, to: string): Promise<void> {
  if (!(await exists(to))) return
  for (const moved of [to, from]) {
    const directory = path.dirname(path.resolve(moved))
    if (await exists(directory)) await syncDirectory(directory)
  }
}

/**
 * Returns `to` if it is free, else `<to>.older-<n>`: the one that already holds a copy, or the
 * first free one.
 */
async function placeBeside(from: string, to: string): Promise<string> {
  for (let n = 0; ; n++) {
    const place = n === 0 ? to : `${to}.older-${n}`
    if (await exists(`${place}${stagedSuffix}`)) await removeDurable(`${place}${stagedSuffix}`)
    if (!(await exists(place)) || (await holdsTheSame(from, place))) return place
  }
}

async function publishCopy(from: string, to: string): Promise<void> {
  const staged = `${to}${stagedSuffix}`
  try {
    await copy(from, staged)
    if (!(await holdsTheSame(from, staged))) {
      throw new MoveError(
        `${from} was copied to another file system, and what was read back there is not the same. Nothing was deleted.`,
      )
    }
  } catch (error) {
    await removeDurable(staged).catch(() => undefined)
    throw error
  }
  await renameDurable(staged, to)
}

/** Renames a folder before deleting it, so that a partly deleted one is never mistaken for it. */
async function retire(from: string): Promise<void> {
  if (!(await lstat(from)).isDirectory()) return removeDurable(from)
  await renameDurable(from, `${from}${movedSuffix}`)
  await removeDurable(`${from}${movedSuffix}`)
}

/** Copies durably; only the directory entry of `to` itself is not synced. */
async function copy(from: RawPath, to: RawPath): Promise<void> {
  const stats = await lstat(from)
  if (stats.isDirectory()) await copyFolder(from, to, stats)
  else if (stats.isFile()) await copyFile(from, to, stats)
  else if (stats.isSymbolicLink()) await symlink(await targetOf(from), to)
  else await writeNewFile(to, Buffer.alloc(0))
}

async function copyFolder(from: RawPath, to: RawPath, { mode }: Stats): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const name of (await namesIn(from)).sort(Buffer.compare)) {
    const below = rawJoin(from, name)
    await copy(below, rawJoin(to, copiedName(name, await lstat(below))))
  }
  // Last, because a read-only folder could not have been filled.
  if ((mode & 0o777) !== 0o700) await chmod(to, mode & 0o777)
  await syncDirectory(to)
}

const namesIn = (dir: RawPath): Promise<Buffer[]> => readdir(dir, { encoding: 'buffer' })

const targetOf = (link: RawPath): Promise<Buffer> => readlink(link, { encoding: 'buffer' })

/** Returns a name that records the type of a special file, which only its user can create again. */
function copiedName(name: Buffer, stats: Stats): Buffer {
  const suffix = suffixFor(stats)
  return suffix === '' ? name : Buffer.concat([name, Buffer.from(suffix)])
}

function suffixFor(stats: Stats): string {
  if (stats.isSocket()) return '.was-a-socket'
  if (stats.isFIFO()) return '.was-a-pipe'
  return stats.isCharacterDevice() || stats.isBlockDevice() ? '.was-a-device' : ''
}

async function copyFile(from: RawPath, to: RawPath, { mode }: Stats): Promise<void> {
  const source = await openDataFile(from, 'read')
  try {
    const target = await open(to, 'wx', mode & 0o777)
    try {
      for await (const chunk of chunksOf(source)) await writeFully(target, chunk)
      await target.sync()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function sameFolder(original: RawPath, copy: RawPath): Promise<boolean> {
  // Keyed by the names' bytes, one character each.
  const expected = new Map<string, Buffer>()
  for (const name of await namesIn(original)) {
    const copied = copiedName(name, await lstat(rawJoin(original, name)))
    expected.set(copied.toString('latin1'), name)
  }
  const found = await namesIn(copy)
  if (found.length !== expected.size) return false
  for (const name of found) {
    const known = expected.get(name.toString('latin1'))
    if (known === undefined) return false
    if (!(await holdsTheSame(rawJoin(original, known), rawJoin(copy, name)))) return false
  }
  return true
}

async function sameBytes(one: RawPath, other: RawPath): Promise<boolean> {
  const handles: FileHandle[] = []
  try {
    for (const file of [one, other]) {
      handles.push(await openDataFile(file, 'read'))
    }
    const [a, b] = handles as [FileHandle, FileHandle]
    const others = chunksOf(b)
    for await (const chunk of chunksOf(a)) {
      const { value } = await others.next()
      if (!value || !chunk.equals(value)) return false
    }
    return (await others.next()).done === true
  } finally {
    for (const handle of handles) await handle.close()
  }
}
