/**
 * Replaces a file atomically. The new content is written beside it under a temporary name, so that the rename either
 * finds it in the checked folder or fails.
 */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { errorCode } from '../files/file-error.ts'
import type { ConfinedPath } from './confine.ts'
import { type HeldFolder, isAt, movedAway, type SystemAccess, withFolder } from './folder.ts'

export interface Replacement {
  bytes: Uint8Array
  /** The name of the temporary file (`temporaryNameOf`). */
  temporaryName: string
  /** An abort before the rename removes the temporary file and leaves the old file unchanged. */
  signal: AbortSignal
}

/**
 * Creates missing parent folders. Rejects with the system's error, with ToolError if a folder was replaced since it was
 * checked, and with the signal's reason or an AbortError on abort.
 */
export async function replaceFile(
  access: SystemAccess,
  path: ConfinedPath,
  { bytes, temporaryName, signal }: Replacement,
): Promise<void> {
  const folder = { absolute: dirname(path.absolute), relative: path.relative }
  await withFolder(access, folder, { create: true }, async (held) => {
    const name = basename(path.absolute)
    const old = await statReplaceable(access, held, path, name)
    const mode = old ? old.mode & 0o7777 : 0o666
    const { handle, temporary } = await openTemporary(access, held, temporaryName, mode)
    let ownStats: Stats | null = null
    try {
      try {
        ownStats = await handle.stat()
        await assertBeside(access, { held, path, handle, stats: ownStats, temporary })
        await fill(handle, bytes, old, signal)
      } finally {
        await handle.close()
      }
      await held.assertInPlace()
      signal.throwIfAborted()
      await access.calls.rename(temporary, held.at(name))
    } catch (error) {
      await removeTemporaryFile(access, temporary, ownStats)
      throw error
    }
  })
}

async function openTemporary(
  { calls }: SystemAccess,
  held: HeldFolder,
  name: string,
  mode: number,
): Promise<{ handle: FileHandle; temporary: string }> {
  const open = async (temporary: string) => ({
    handle: await calls.open(temporary, newFile, mode),
    temporary,
  })
  return open(held.at(name)).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
    // An earlier call with this id left a file that could not be removed, or the agent created one. It is kept.
    return open(held.at(`.shiplog-${randomUUID()}.tmp`))
  })
}

const newFile =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Resolves with the present file; null if there is none. Rejects if it is read-only, a link or a folder, which a rename
 * would replace as well.
 */
async function statReplaceable(
  { calls }: SystemAccess,
  held: HeldFolder,
  path: ConfinedPath,
  name: string,
): Promise<Stats | null> {
  const old = await calls.lstat(held.at(name)).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (!old) return null
  if (!old.isFile()) throw movedAway(path)
  await calls.access(held.at(name), constants.W_OK)
  return old
}

/** Rejects unless the temporary file is in the checked folder. Called before anything is written to it. */
async function assertBeside(
  access: SystemAccess,
  {
    held,
    path,
    handle,
    stats,
    temporary,
  }: {
    held: HeldFolder
    path: ConfinedPath
    handle: FileHandle
    stats: Stats
    temporary: string
  },
): Promise<void> {
  await held.assertInPlace()
  // A folder that is held open can't be replaced.
  if (access.hasOpenPaths) return
  if (!(await isAt(access, handle, stats, temporary))) throw movedAway(path)
}

async function fill(
  handle: FileHandle,
  bytes: Uint8Array,
  old: Stats | null,
  signal: AbortSignal,
): Promise<void> {
  await handle.writeFile(bytes, { signal })
  if (old) {
    const now = await handle.stat()
    // A writable file of another user becomes this user's if its owner can't be kept, as with an editor.
    if (now.uid !== old.uid || now.gid !== old.gid)
      await handle.chown(old.uid, old.gid).catch(() => undefined)
    await handle.chmod(old.mode & 0o7777)
  }
  await handle.sync()
}

/** Removes the temporary file if it is still the same one, because its path may lead to another file now. */
async function removeTemporaryFile(
  { calls }: SystemAccess,
  temporary: string,
  ownStats: Stats | null,
): Promise<void> {
  const found = await calls.lstat(temporary).catch(() => null)
  if (found && ownStats && found.dev === ownStats.dev && found.ino === ownStats.ino)
    await calls.unlink(temporary).catch(() => undefined)
}
