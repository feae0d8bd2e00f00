/** Git syncs its objects and not the small files of a worktree: after a power cut they would be empty. */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { mapAtOnce } from '../update/at-once.ts'

/** Written in place and synced, with the folder that names it. */
export async function writeDurable(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w')
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
    const handle = await open(one, 'r').catch(() => null)
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
