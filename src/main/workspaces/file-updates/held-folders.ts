/**
 * Opens folders of a working tree for the calls that change their entries (`../../open-folders`). Where a folder can't be
 * held, it is checked before each use.
 */
import { type FileHandle, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import {
  assertNoLinks,
  folderFlags,
  hasOpenPaths,
  namingFolder,
  openBelow,
  openPath,
} from '../../open-folders/open-folders.ts'

/** Returns the path of an entry, valid while the folder is held. */
export type At = (name: string) => string

/** A folder is missing, or a link or a file is in its place. */
export class FolderReplacedError extends Error {
  readonly code: 'ENOENT' | 'ENOTDIR'
  constructor(folder: string, code: 'ENOENT' | 'ENOTDIR') {
    super(`${code}: ${folder} is no folder of the working tree`)
    this.name = 'FolderReplacedError'
    this.code = code
  }
}

/** The root of a working tree. */
export interface HeldRoot {
  path: string
  /** Null where open folders have no paths. */
  open: { handle: FileHandle; path: string } | null
}

/** Holds the root during `use`. The folders above it are not for programs that may only write in it. */
export async function withRoot<Result>(
  path: string,
  use: (root: HeldRoot) => Promise<Result>,
): Promise<Result> {
  if (!hasOpenPaths) return use({ path, open: null })
  // The root itself may be a link.
  const handle = await open(`${path}/.`, folderFlags)
  try {
    return await use({ path, open: { handle, path: await readlink(openPath(handle)) } })
  } finally {
    await handle.close()
  }
}

/** Runs `use` with the folder `dir`, relative to `root` with `/`. Throws FolderReplacedError, or the system's error. */
export async function inFolder<Result>(
  root: HeldRoot,
  dir: string,
  use: (at: At) => Promise<Result>,
): Promise<Result> {
  if (root.open === null) {
    await assertNoLinks(root.path, Buffer.from(dir === '.' ? '' : dir)).catch(replaced(dir))
    return use((name) => join(root.path, dir, name))
  }
  const { open: top } = root
  if (dir === '.') {
    await assertInPlace(top, dir)
    return useHeld(top.handle, root.path, use)
  }
  const handle = await openFolder(top, dir)
  try {
    return await useHeld(handle, join(root.path, dir), use)
  } finally {
    await handle.close()
  }
}

function useHeld<Result>(
  handle: FileHandle,
  path: string,
  use: (at: At) => Promise<Result>,
): Promise<Result> {
  const held = openPath(handle)
  return use((name) => `${held}/${name}`).catch(namingFolder(held, path))
}

async function openFolder(root: NonNullable<HeldRoot['open']>, dir: string): Promise<FileHandle> {
  const found = await openBelow(root.handle, dir).catch(replaced(dir))
  try {
    await assertInPlace(root, dir)
    return found
  } catch (error) {
    await found.close()
    throw error
  }
}

/** The working tree may have been moved away, with all its folders. */
async function assertInPlace(
  { handle, path }: NonNullable<HeldRoot['open']>,
  dir: string,
): Promise<void> {
  if ((await readlink(openPath(handle))) !== path) throw new FolderReplacedError(dir, 'ENOENT')
}

const replaced = (dir: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') throw new FolderReplacedError(dir, 'ENOENT')
  throw error.code === 'ENOTDIR' || error.code === 'ELOOP'
    ? new FolderReplacedError(dir, 'ENOTDIR')
    : error
}
