/** Durable deletion of files and directory trees. */
import { chmod, lstat, stat, unlink } from 'node:fs/promises'
import { removeTree } from '../../open-folders/remove-tree.ts'
import { systemCode } from '../errors.ts'
import { parentOf, syncDirectory } from './durable-files.ts'
import { createMountCheck, createWalkedMountCheck, mountedError } from './mounts.ts'
import { type RawPath, rawJoin } from './raw-path.ts'

/**
 * Removes a file or a directory tree durably; a missing path is no error. Removes symbolic links
 * without following them. Keeps what is mounted in it, and then throws with code EBUSY.
 */
export async function removeDurable(target: RawPath): Promise<void> {
  const status = await lstat(target).catch(unlessMissing)
  if (status?.isDirectory()) await removeFolder(target).catch(unlessMissing)
  else if (status) await unlink(target).catch(unlessMissing)
  await syncDirectory(parentOf(target)).catch(unlessMissing)
}

async function removeFolder(target: RawPath): Promise<void> {
  if (await (await createMountCheck(target))(target)) throw mountedError(target)
  const isMount = await createWalkedMountCheck(target)
  await removeTree(target, async (folder) => {
    if (await isMount(folder)) throw mountedError(rawJoin(target, folder.below()))
    // An agent may have made it read-only.
    const { mode } = await stat(folder.held)
    if ((mode & 0o700) !== 0o700)
      await chmod(folder.held, (mode & 0o7777) | 0o700).catch(() => undefined)
  })
}

function unlessMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
}
