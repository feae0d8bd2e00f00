/**
 * Git syncs its objects but not the small files of a worktree: after a power cut they would be
 * empty.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { mapConcurrently } from '../update/map-concurrently.ts'

/**
 * Opening a named pipe in place of a file must not block. Undefined on Windows, which has none in
 * folders.
 */
const { O_NONBLOCK = 0 } = constants
const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | O_NONBLOCK

/** Writes a file in place and syncs it and its folder. Throws the system's error. */
export async function writeDurable(file: string, text: string): Promise<void> {
  const handle = await open(file, writing)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncPaths([path.dirname(file)])
}

/** Syncs files and folders. Skips those that are missing, or can't be synced on this system. */
export async function syncPaths(paths: readonly string[]): Promise<void> {
  await mapConcurrently(paths, async (one) => {
    const handle = await open(one, constants.O_RDONLY | O_NONBLOCK).catch(() => null)
    if (handle === null) return
    try {
      await handle.sync()
    } catch (error) {
      if (!isUnsupported(error)) throw error
    } finally {
      await handle.close()
    }
  })
}

/** Windows can't sync folders, nor files that were opened for reading. */
function isUnsupported(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'EPERM' || code === 'EINVAL' || code === 'EISDIR' || code === 'EACCES'
}
