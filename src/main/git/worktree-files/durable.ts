/** Git syncs its objects and not the small files of a worktree: after a power cut they would be empty. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { mapAtOnce } from '../update/at-once.ts'

/** A named pipe in place of a file must not be waited for. Windows has none in folders. */
const { O_NONBLOCK = 0 } = constants
const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | O_NONBLOCK

/** Written in place and synced, with the folder that names it. Throws the system's error. */
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

/** Files and folders. Skips those that are missing, or can't be synced on this system. */
export async function syncPaths(paths: readonly string[]): Promise<void> {
  await mapAtOnce(paths, async (one) => {
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

/** Windows syncs no folder, and nothing that was opened for reading. */
function isUnsupported(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'EPERM' || code === 'EINVAL' || code === 'EISDIR' || code === 'EACCES'
}
