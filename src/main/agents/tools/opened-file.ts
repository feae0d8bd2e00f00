/**
 * A folder may be swapped for a link between the check of a path and its use. A file is therefore opened without
 * following a link in its last part, and the place that was opened is compared with the one that was checked
 * before a byte of it is believed. This guards against mistakes and is no jail: an agent has a shell.
 */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ConfinedPath } from './confined-path.ts'
import { ToolError } from './tool.ts'

/** Windows has neither of the two. */
const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Rejects as the system does (`ELOOP`: a link took the file's place), and with ToolError when it is elsewhere. */
export async function withOpenedFile<Result>(
  path: ConfinedPath,
  use: (handle: FileHandle, stats: Stats) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path.absolute, constants.O_RDONLY | noFollow)
  try {
    const stats = await handle.stat()
    if (!(await isAt(handle, stats, path.absolute))) throw movedAway(path)
    return await use(handle, stats)
  } finally {
    await handle.close()
  }
}

const movedAway = (path: ConfinedPath): ToolError =>
  new ToolError(
    `path: ${path.relative} leads elsewhere since it was checked: a folder above it was replaced meanwhile. Nothing was changed; try again.`,
  )

/** Just before something is written: the folders above it are still no links. */
export async function assertNotMoved(path: ConfinedPath): Promise<void> {
  for (let folder = dirname(path.absolute); ; folder = dirname(folder)) {
    const resolved = await realpath(folder).catch((error) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (resolved === null) continue
    if (resolved !== folder) throw movedAway(path)
    return
  }
}

async function isAt(handle: FileHandle, stats: Stats, absolute: string): Promise<boolean> {
  // Linux says where the open file itself is, whatever became of the path.
  const own = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  if (own !== null) return own === absolute
  const [resolved, there] = await Promise.all([
    realpath(absolute).catch(() => null),
    lstat(absolute).catch(() => null),
  ])
  return resolved === absolute && there?.dev === stats.dev && there.ino === stats.ino
}
