/**
 * Opens folders of a working tree for the calls that change their entries. A program that may write there, such as an
 * agent's command in a sandbox, could replace a folder by a link between the check and the call, and so make Shiplog
 * write or delete files to which only Shiplog has access. On Linux every call goes through the open folder, whatever
 * becomes of its path. Other systems require a path: there a folder is checked before each use, which leaves a moment.
 */
import { constants, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** True where `/proc/self/fd/<n>` leads to the open file. */
const hasOpenPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Linux's O_PATH, for which Node has no constant. With it, a folder need not be readable. */
const pathOnly = 0o10000000
/** Used only where the system has open paths. Windows has none of these constants. */
const flags = pathOnly | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

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
  const handle = await open(path, flags & ~(constants.O_NOFOLLOW ?? 0))
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
    await assertNoLinks(root.path, dir)
    return use((name) => join(root.path, dir, name))
  }
  const { open: top } = root
  if (dir === '.') {
    await assertInPlace(top, dir)
    return use((name) => `${openPath(top.handle)}/${name}`)
  }
  const handle = await openFolder(top, dir)
  try {
    return await use((name) => `${openPath(handle)}/${name}`)
  } finally {
    await handle.close()
  }
}

/**
 * Runs `use` with a path of this folder that leads to it whatever becomes of its own. Throws the system's error if a link
 * or a file is in its place.
 */
export async function withHeldFolder<Result>(
  path: Buffer,
  use: (held: Buffer) => Promise<Result>,
): Promise<Result> {
  if (!hasOpenPaths) return use(path)
  const handle = await open(path, flags)
  try {
    return await use(Buffer.from(openPath(handle)))
  } finally {
    await handle.close()
  }
}

const openPath = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

async function openFolder(root: NonNullable<HeldRoot['open']>, dir: string): Promise<FileHandle> {
  const found = await openOne(join(openPath(root.handle), dir), dir)
  if ((await readlink(openPath(found))) === join(root.path, dir)) return found
  await found.close()
  await assertInPlace(root, dir)
  // A link is on the way, or a disk that ignores case knows the folder in other letters.
  return openOneByOne(root.handle, dir)
}

/** The working tree may have been moved away, with all its folders. */
async function assertInPlace(
  { handle, path }: NonNullable<HeldRoot['open']>,
  dir: string,
): Promise<void> {
  if ((await readlink(openPath(handle))) !== path) throw new FolderReplacedError(dir, 'ENOENT')
}

async function openOneByOne(top: FileHandle, dir: string): Promise<FileHandle> {
  let folder = top
  for (const name of dir.split('/')) {
    const above = folder
    try {
      folder = await openOne(`${openPath(above)}/${name}`, dir)
    } finally {
      if (above !== top) await above.close()
    }
  }
  return folder
}

const openOne = (path: string, dir: string): Promise<FileHandle> =>
  open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new FolderReplacedError(dir, 'ENOENT')
    throw error.code === 'ENOTDIR' || error.code === 'ELOOP'
      ? new FolderReplacedError(dir, 'ENOTDIR')
      : error
  })

async function assertNoLinks(root: string, dir: string): Promise<void> {
  const parts = dir === '.' ? [] : dir.split('/')
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/')
    const found = await lstat(join(root, part)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
        throw new FolderReplacedError(dir, error.code)
      throw error
    })
    if (!found.isDirectory()) throw new FolderReplacedError(dir, 'ENOTDIR')
  }
}

/** Changes the mode of a file or folder, but not of what a link in its place leads to. */
export async function changeMode(path: string, mode: number): Promise<void> {
  if (!hasOpenPaths) return chmod(path, mode)
  const handle = await open(path, pathOnly | constants.O_NOFOLLOW)
  try {
    if (!(await handle.stat()).isSymbolicLink()) await chmod(openPath(handle), mode)
  } finally {
    await handle.close()
  }
}
