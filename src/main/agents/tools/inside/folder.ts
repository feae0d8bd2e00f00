/**
 * Holds a folder open during an operation. On Linux every access goes through the open folder, even if its path changes.
 * Other systems require a path: there a replaced folder is detected afterwards, and the operation is undone.
 */
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { folderFlags, openPath } from '../../../open-folders/open-folders.ts'
import { errorCode } from '../files/file-error.ts'
import { ToolError } from '../tool.ts'
import type { ConfinedPath } from './confine.ts'
import type { FileCalls } from './file-calls.ts'

export interface SystemAccess {
  calls: FileCalls
  /** See `open-folders.ts`. */
  hasOpenPaths: boolean
  /** The data directory, which the file tools keep out of, also if it is inside the working directory; null for none. */
  dataDir: string | null
}

export interface HeldFolder {
  /** Returns the path of an entry, valid while the folder is held. */
  at(name: string): string
  /** Throws ToolError unless the folder is still where it was found. */
  assertInPlace(): Promise<void>
}

/**
 * Runs `use` with the folder. `create` creates missing folders. Rejects with the system's error, or with ToolError if the
 * folder was moved or replaced since it was checked.
 */
export async function withFolder<Result>(
  access: SystemAccess,
  folder: ConfinedPath,
  { create = false }: { create?: boolean },
  use: (folder: HeldFolder) => Promise<Result>,
): Promise<Result> {
  const missing: string[] = []
  for (let dir = folder.absolute; ; dir = dirname(dir)) {
    const held = await hold(access, dir, folder).catch((error) => {
      if (!create || errorCode(error) !== 'ENOENT' || dirname(dir) === dir) throw error
      return null
    })
    if (held) return inCreatedFolder(access, held, missing, folder, use)
    missing.unshift(basename(dir))
  }
}

interface Held extends HeldFolder {
  absolute: string
  close(): Promise<void>
}

async function hold(
  { calls, hasOpenPaths }: SystemAccess,
  absolute: string,
  requested: ConfinedPath,
  openedAs = absolute,
): Promise<Held> {
  if (!hasOpenPaths) {
    const held: Held = {
      absolute,
      at: (name) => join(absolute, name),
      async assertInPlace() {
        if ((await calls.realpath(absolute)) !== absolute) throw movedAway(requested)
      },
      close: async () => undefined,
    }
    await held.assertInPlace()
    return held
  }
  const handle = await calls.open(openedAs, folderFlags).catch((error) => {
    // A link or a file has replaced the folder.
    throw ['ELOOP', 'ENOTDIR'].includes(errorCode(error)) ? movedAway(requested) : error
  })
  const held: Held = {
    absolute,
    at: (name) => `${openPath(handle)}/${name}`,
    async assertInPlace() {
      if ((await calls.readlink(openPath(handle))) !== absolute) throw movedAway(requested)
    },
    close: () => handle.close(),
  }
  try {
    await held.assertInPlace()
    return held
  } catch (error) {
    await held.close()
    throw error
  }
}

/** Creates the missing folders one below the other, runs `use` in the last, and closes all. */
async function inCreatedFolder<Result>(
  access: SystemAccess,
  held: Held,
  missing: string[],
  requested: ConfinedPath,
  use: (folder: HeldFolder) => Promise<Result>,
): Promise<Result> {
  try {
    const [name, ...further] = missing
    if (name === undefined) return await use(held)
    const below = await createIn(access, held, name, requested)
    return await inCreatedFolder(access, below, further, requested, use)
  } finally {
    await held.close()
  }
}

async function createIn(
  access: SystemAccess,
  parent: Held,
  name: string,
  requested: ConfinedPath,
): Promise<Held> {
  const created = await access.calls.mkdir(parent.at(name)).then(
    () => true,
    (error) => {
      // Another process created it first; opening it shows whether it is a folder.
      if (errorCode(error) === 'EEXIST') return false
      throw error
    },
  )
  try {
    await parent.assertInPlace()
  } catch (error) {
    // The folder may have been created elsewhere. Removes it only if it is empty.
    if (created) await access.calls.rmdir(parent.at(name)).catch(() => undefined)
    throw error
  }
  return hold(access, join(parent.absolute, name), requested, parent.at(name))
}

/** Reports whether `handle` is the file at the path `absolute`, without links. */
export async function isAt(
  { calls, hasOpenPaths }: SystemAccess,
  handle: FileHandle,
  stats: Stats,
  absolute: string,
): Promise<boolean> {
  if (hasOpenPaths) return (await calls.readlink(openPath(handle))) === absolute
  const resolved = await calls.realpath(absolute).catch(() => null)
  const there = await calls.lstat(absolute).catch(() => null)
  return resolved === absolute && there?.dev === stats.dev && there.ino === stats.ino
}

export const movedAway = (path: ConfinedPath): ToolError =>
  new ToolError(
    `path: ${path.relative} changed since it was checked: a folder above it was replaced. Nothing was changed; try again.`,
  )
