/** Compares the entry at a path of a working tree with the state that an update expects. */
import { type FileHandle, lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import {
  blobHash,
  type Content,
  contentAt,
  existsWithExactCase,
  isSameContent,
} from '../../git/index.ts'
import { openDataFile } from '../../journal/index.ts'

export interface Swap {
  /** Relative to the root, with `/`. */
  path: string
  /** Null if there is no file. */
  from: Content | null
  to: Content | null
}

/** Paths of one update whose states depend on each other. */
export interface Surroundings {
  root: string
  /** Paths that differ from another path of the update only in case. */
  twins: ReadonlySet<string>
  /**
   * All paths of the update: if one of them is a file, another may need a folder there, before or
   * after.
   */
  paths: ReadonlySet<string>
}

export type SwapState =
  /** The state before the swap. */
  | 'from'
  /** The state after it. */
  | 'to'
  /** Neither: another process has changed it. */
  | 'other'

export async function stateOf(swap: Swap, around: Surroundings): Promise<SwapState> {
  const { from, to } = swap
  const file = join(around.root, swap.path)
  const present = await placeOf(swap.path, around)
  if (present === 'elsewhere') return 'other'
  const found = present === 'absent' ? null : await contentAt(file)
  // A folder is no file; whether it can be removed is checked when a file must take its place.
  if (found === null || found.kind === 'other') {
    if (found !== null && !(await isFolder(file))) return 'other'
    if (to === null) return 'to'
    return from === null ? 'from' : 'other'
  }
  const expected = [from, to].filter(
    (one) => one !== null && one.kind === found.kind && one.bytes === found.bytes,
  )
  const [like] = expected
  if (!like) return 'other'
  const id = found.kind === 'link' ? await linkId(file, like.id) : await fileId(file, like)
  if (id === null) return 'other'
  const now: Content = { ...found, id }
  if (isSameContent(now, from)) return 'from'
  return isSameContent(now, to) ? 'to' : 'other'
}

/**
 * `absent` also if a parent folder is missing; `elsewhere`: a parent is a link, or another
 * process's file.
 */
async function placeOf(
  name: string,
  { root, twins, paths }: Surroundings,
): Promise<'here' | 'absent' | 'elsewhere'> {
  const parts = name.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join('/')
    const found = await lstat(join(root, parent)).catch(absentOr)
    if (found === null) return 'absent'
    if (!found.isDirectory()) return paths.has(parent) ? 'absent' : 'elsewhere'
  }
  return twins.has(name) && !(await existsWithExactCase(root, name)) ? 'absent' : 'here'
}

async function isFolder(file: string): Promise<boolean> {
  return (await lstat(file).catch(absentOr))?.isDirectory() ?? false
}

async function linkId(file: string, like: string): Promise<string | null> {
  const target = await readlink(file, { encoding: 'buffer' }).catch(absentOr)
  return target && blobHash(like, target.length).update(target).digest('hex')
}

async function fileId(file: string, like: Content): Promise<string | null> {
  const handle = await openDataFile(file, 'read').catch(absentOr)
  if (!handle) return null
  try {
    return await idOf(handle, like)
  } finally {
    await handle.close()
  }
}

/** Returns null if its length differs from `like`, or it is no file. */
export async function idOf(handle: FileHandle, like: Content): Promise<string | null> {
  const found = await handle.stat()
  if (!found.isFile() || found.size !== like.bytes) return null
  const hash = blobHash(like.id, like.bytes)
  for await (const chunk of readChunks(handle, like.bytes)) hash.update(chunk)
  return hash.digest('hex')
}

const chunkBytes = 256 * 1024

/**
 * Reads from the beginning; `length` is the expected size. A chunk is valid until the next one is
 * requested.
 */
export async function* readChunks(handle: FileHandle, length: number): AsyncGenerator<Buffer> {
  // Thousands of small files must not allocate a large buffer each.
  const buffer = Buffer.allocUnsafe(Math.min(length + 1, chunkBytes))
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export function absentOr(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
