/**
 * Gives the file tools access to files inside the working directory. A path is resolved and checked; the file that is
 * opened, created, written or listed afterwards is compared with the checked one, because a folder may be replaced by a
 * link in between. This guards against mistakes and is no sandbox: an agent has a shell.
 */
import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { hasOpenPaths as systemHasOpenPaths } from '../../../open-folders/open-folders.ts'
import { type ConfinedPath, confine, isWithheld } from './confine.ts'
import { fileCalls } from './file-calls.ts'
import { isAt, movedAway, type SystemAccess, withFolder } from './folder.ts'
import { type Replacement, replaceFile } from './replace-file.ts'
import { removeTemporary } from './temporary-file.ts'

export type { ConfinedPath }

/** All functions reject with the system's error or with ToolError. */
export type FilesInside = ReturnType<typeof createFilesInside>

/** Windows has neither constant. */
const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function createFilesInside({
  calls = fileCalls,
  hasOpenPaths = systemHasOpenPaths,
  dataDir = null,
}: Partial<SystemAccess> = {}) {
  const access = { calls, hasOpenPaths, dataDir }

  /** Opens a file for reading. Rejects before reading if it is no longer the checked file. */
  async function withOpened<Result>(
    path: ConfinedPath,
    use: (handle: FileHandle, stats: Stats) => Promise<Result>,
  ): Promise<Result> {
    const handle = await calls.open(path.absolute, constants.O_RDONLY | noFollow)
    try {
      const stats = await handle.stat()
      if (!(await isAt(access, handle, stats, path.absolute))) throw movedAway(path)
      return await use(handle, stats)
    } finally {
      await handle.close()
    }
  }

  return {
    confine: (workingDir: string, path: string) => confine(access, workingDir, path),
    /** Reports whether a folder below `start`, which was confined, is in the data directory. */
    isWithheld: (start: ConfinedPath, absolute: string) =>
      isWithheld(calls, dataDir, { root: start.absolute, absolute }),
    lstat: (path: ConfinedPath) => calls.lstat(path.absolute),
    withOpened,
    replace: (path: ConfinedPath, replacement: Replacement) =>
      replaceFile(access, path, replacement),
    removeTemporary: (path: ConfinedPath, name: string) => removeTemporary(access, path, name),
    /** Runs `use` for a folder, and rejects if it was replaced before or afterwards. `at` returns the path of an entry. */
    inFolder: <Result>(
      folder: ConfinedPath,
      use: (at: (name: string) => string) => Promise<Result>,
    ) =>
      withFolder(access, folder, {}, async (held) => {
        const result = await use(held.at)
        await held.assertInPlace()
        return result
      }),
    entries: (folder: ConfinedPath) =>
      withFolder(access, folder, {}, async (held) => {
        const found = await calls.readdir(held.at('.'), { withFileTypes: true })
        await held.assertInPlace()
        return found
      }),
  }
}
