/**
 * Access to the entries of a folder through the folder itself, held open. A program that may write in a tree, such as an
 * agent's command, could replace a folder by a link between a check and a call, and so make Shiplog read, write or delete
 * files to which only Shiplog has access. On Linux an open folder has a path that leads to it whatever becomes of its
 * own. Other systems require the folder's path, which leaves a moment.
 */
import { constants, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, open, readlink } from 'node:fs/promises'

/** True where `/proc/self/fd/<n>` leads to the open file. */
export const hasOpenPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

/** The path of an open file or folder, valid until it is closed. */
export const openPath = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

/** Linux's O_PATH, for which Node has no constant. With it, a folder need not be readable. */
const pathOnly = 0o10000000

/** Open a folder that is no link. Used only where the system has open paths: Windows has none of these constants. */
export const folderFlags = pathOnly | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Runs `use` with a path of this folder that leads to it whatever becomes of its own. Throws the system's error if a link
 * or a file is in its place.
 */
export async function withHeldFolder<Result>(
  path: string | Buffer,
  use: (held: Buffer) => Promise<Result>,
): Promise<Result> {
  if (!hasOpenPaths) return use(Buffer.from(path))
  const handle = await open(path, folderFlags)
  try {
    const held = openPath(handle)
    return await use(Buffer.from(held)).catch(namingFolder(held, String(path)))
  } finally {
    await handle.close()
  }
}

/** A folder whose folders are entered one by one, without following a link. */
interface HeldTree {
  path: string
  /** Null where open folders have no paths. */
  top: FileHandle | null
}

/** Holds a folder during `use`. It may be a link itself. Throws the system's error. */
export async function withTree<Result>(
  path: string,
  use: (tree: HeldTree) => Promise<Result>,
): Promise<Result> {
  if (!hasOpenPaths) return use({ path, top: null })
  const top = await open(`${path}/.`, folderFlags)
  try {
    return await use({ path, top })
  } finally {
    await top.close()
  }
}

/**
 * Runs `use` with a path that leads to a folder of the tree, relative with `/`, or empty for the tree's own. Throws the
 * system's error, or ENOTDIR if a link is on the way.
 */
export async function inTree<Result>(
  { path, top }: HeldTree,
  below: Buffer,
  use: (held: Buffer) => Promise<Result>,
): Promise<Result> {
  if (top === null) {
    await assertNoLinks(path, below)
    return use(below.length === 0 ? Buffer.from(path) : entryIn(path, below))
  }
  if (below.length === 0) {
    const held = openPath(top)
    return use(Buffer.from(held)).catch(namingFolder(held, path))
  }
  const handle = await openBelow(top, below)
  try {
    const held = openPath(handle)
    return await use(Buffer.from(held)).catch(namingFolder(held, String(entryIn(path, below))))
  } finally {
    await handle.close()
  }
}

/** Throws the system's error, or ENOTDIR if a link or a file is on the way to a folder. */
export async function assertNoLinks(root: string, below: Buffer): Promise<void> {
  for (let end = 0; end < below.length; end++) {
    const slash = below.indexOf(0x2f, end)
    end = slash === -1 ? below.length : slash
    const part = entryIn(root, below.subarray(0, end))
    if (!(await lstat(part)).isDirectory())
      throw Object.assign(new Error(`${part} is no folder`), { code: 'ENOTDIR' })
  }
}

/**
 * Opens a folder below an open one, following no link on the way. `below` is relative, with `/`. Throws the system's
 * error. Only where the system has open paths.
 */
export async function openBelow(top: FileHandle, below: string | Buffer): Promise<FileHandle> {
  const name = Buffer.from(below)
  const target = entryIn(openPath(top), name)
  const found = await open(target, folderFlags).catch(unlessTooLong)
  const at = (handle: FileHandle) => readlink(openPath(handle), { encoding: 'buffer' })
  if (found !== null) {
    const isIn = await Promise.all([at(top), at(found)]).then(
      ([topAt, foundAt]) => entryIn(topAt, name).equals(foundAt),
      unlessTooLong,
    )
    if (isIn) return found
    await found.close()
  }
  // A link is on the way, or a disk that ignores case knows the folder in other letters.
  return openOneByOne(top, name)
}

async function openOneByOne(top: FileHandle, below: Buffer): Promise<FileHandle> {
  let folder = top
  for (let start = 0, end = 0; end < below.length; start = end + 1) {
    const slash = below.indexOf(0x2f, start)
    end = slash === -1 ? below.length : slash
    const above = folder
    try {
      folder = await open(entryIn(openPath(above), below.subarray(start, end)), folderFlags)
    } finally {
      if (above !== top) await above.close()
    }
  }
  return folder
}

/** Changes the mode of a file or folder. Follows no link. */
export async function changeMode(path: string | Buffer, mode: number): Promise<void> {
  if (!hasOpenPaths) return chmod(path, mode)
  const handle = await open(path, pathOnly | constants.O_NOFOLLOW)
  try {
    if (!(await handle.stat()).isSymbolicLink()) await chmod(openPath(handle), mode)
  } finally {
    await handle.close()
  }
}

/**
 * Rethrows an error of the system with the folder's own path, because a user can't know where `held`, the path of the
 * open one, leads.
 */
export const namingFolder =
  (held: string, path: string) =>
  (error: NodeJS.ErrnoException & { dest?: string }): never => {
    const named = (text: string) => text.replaceAll(`${held}/`, `${path}/`)
    if (typeof error?.path === 'string') {
      error.message = named(error.message)
      error.path = named(error.path)
      if (typeof error.dest === 'string') error.dest = named(error.dest)
    }
    throw error
  }

/** As bytes, because a name need not be UTF-8. Unlike `path.join`, it keeps `.` and `..`. */
export const entryIn = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), name])

function unlessTooLong(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENAMETOOLONG') return null
  throw error
}
