/**
 * Puts a whole file in place of another in one step. The new one is written beside it under a temporary name, so
 * the rename finds it in the folder that was checked, or nowhere.
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
  /** Until it has been renamed, an abort removes the temporary file and leaves the old one unchanged. */
  signal: AbortSignal
}

/**
 * Folders above it are made as needed. Rejects as the system does, with ToolError when it is elsewhere, and with the
 * signal's reason or an AbortError on abort.
 */
export async function replaceFile(
  access: SystemAccess,
  path: ConfinedPath,
  { bytes, temporaryName, signal }: Replacement,
): Promise<void> {
  const folder = { absolute: dirname(path.absolute), relative: path.relative }
  await withFolder(access, folder, { make: true }, async (held) => {
    const name = basename(path.absolute)
    const old = await existing(access, held, path, name)
    const mode = old ? old.mode & 0o7777 : 0o666
    const { handle, temporary } = await openTemporary(access, held, temporaryName, mode)
    let mine: Stats | null = null
    try {
      try {
        mine = await handle.stat()
        await assertBeside(access, { held, path, handle, stats: mine, temporary })
        await fill(handle, bytes, old, signal)
      } finally {
        await handle.close()
      }
      await held.assertInPlace()
      signal.throwIfAborted()
      await access.calls.rename(temporary, held.at(name))
    } catch (error) {
      await takeAway(access, temporary, mine)
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
    // An earlier call with this id left a file that could not be removed, or the agent made one: it stays.
    return open(held.at(`.shiplog-${randomUUID()}.tmp`))
  })
}

const newFile =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** A rename would replace a read-only file too, and a link or a folder that took the file's place. */
async function existing(
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

/** Before it holds a byte: it is in the folder that was checked. */
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
  // An open folder can't have become another one.
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
    // The file belongs to another user and is writable: the new file is this user's, as an editor would leave it.
    if (now.uid !== old.uid || now.gid !== old.gid)
      await handle.chown(old.uid, old.gid).catch(() => undefined)
    await handle.chmod(old.mode & 0o7777)
  }
  await handle.sync()
}

/** Elsewhere only if it is the very file: a path may have come to name another one. */
async function takeAway(
  { calls }: SystemAccess,
  temporary: string,
  mine: Stats | null,
): Promise<void> {
  const there = await calls.lstat(temporary).catch(() => null)
  if (there && mine && there.dev === mine.dev && there.ino === mine.ino)
    await calls.unlink(temporary).catch(() => undefined)
}
