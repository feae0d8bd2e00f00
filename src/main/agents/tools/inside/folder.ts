/**
 * A folder that is held open during an operation. On Linux every access goes through the open folder itself, even if
 * its path changes; other systems require a path, and a swapped folder is detected afterwards and the operation
 * undone.
 */
import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../files/file-error.ts'
import { ToolError } from '../tool.ts'
import type { ConfinedPath } from './confine.ts'
import type { FileCalls } from './file-calls.ts'

export interface SystemAccess {
  calls: FileCalls
  /** True where `/proc/self/fd/<n>` is a link to the open file. */
  hasOpenPaths: boolean
}

export interface HeldFolder {
  /** The path of an entry, to be used while it is held. */
  at(name: string): string
  /** Throws ToolError unless the folder is still where it was found. */
  assertInPlace(): Promise<void>
}

/** Linux's O_PATH, which Node does not name: a folder that may be entered need not be readable. */
const pathOnly = 0o10000000
/** Only where the system has open paths: Windows has none of these. */
const folderFlags = pathOnly | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Rejects as the system does, and with ToolError when the folder is elsewhere by now. `make`: it and those above it
 * are made, where they are missing.
 */
export async function withFolder<Result>(
  access: SystemAccess,
  folder: ConfinedPath,
  { make = false }: { make?: boolean },
  use: (folder: HeldFolder) => Promise<Result>,
): Promise<Result> {
  const missing: string[] = []
  for (let dir = folder.absolute; ; dir = dirname(dir)) {
    const held = await hold(access, dir, folder).catch((error) => {
      if (!make || errorCode(error) !== 'ENOENT' || dirname(dir) === dir) throw error
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
  asked: ConfinedPath,
  openedAs = absolute,
): Promise<Held> {
  if (!hasOpenPaths) {
    const held: Held = {
      absolute,
      at: (name) => join(absolute, name),
      async assertInPlace() {
        if ((await calls.realpath(absolute)) !== absolute) throw movedAway(asked)
      },
      close: async () => undefined,
    }
    await held.assertInPlace()
    return held
  }
  const handle = await calls.open(openedAs, folderFlags).catch((error) => {
    // A link or a file in its place.
    throw ['ELOOP', 'ENOTDIR'].includes(errorCode(error)) ? movedAway(asked) : error
  })
  const held: Held = {
    absolute,
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    async assertInPlace() {
      if ((await calls.readlink(`/proc/self/fd/${handle.fd}`)) !== absolute) throw movedAway(asked)
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

/** Makes the missing folders one below the other, and closes what is held. */
async function inCreatedFolder<Result>(
  access: SystemAccess,
  held: Held,
  missing: string[],
  asked: ConfinedPath,
  use: (folder: HeldFolder) => Promise<Result>,
): Promise<Result> {
  try {
    const [name, ...further] = missing
    if (name === undefined) return await use(held)
    const below = await makeIn(access, held, name, asked)
    return await inCreatedFolder(access, below, further, asked, use)
  } finally {
    await held.close()
  }
}

async function makeIn(
  access: SystemAccess,
  parent: Held,
  name: string,
  asked: ConfinedPath,
): Promise<Held> {
  const made = await access.calls.mkdir(parent.at(name)).then(
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
    // It may have been made elsewhere. Only an empty folder is removed.
    if (made) await access.calls.rmdir(parent.at(name)).catch(() => undefined)
    throw error
  }
  return hold(access, join(parent.absolute, name), asked, parent.at(name))
}

/** True when `handle` is what the path `absolute` names, without a link. */
export async function isAt(
  { calls, hasOpenPaths }: SystemAccess,
  handle: FileHandle,
  stats: Stats,
  absolute: string,
): Promise<boolean> {
  if (hasOpenPaths) return (await calls.readlink(`/proc/self/fd/${handle.fd}`)) === absolute
  const resolved = await calls.realpath(absolute).catch(() => null)
  const there = await calls.lstat(absolute).catch(() => null)
  return resolved === absolute && there?.dev === stats.dev && there.ino === stats.ino
}

export const movedAway = (path: ConfinedPath): ToolError =>
  new ToolError(
    `path: ${path.relative} leads elsewhere since it was checked: a folder above it was replaced meanwhile. Nothing was changed; try again.`,
  )
