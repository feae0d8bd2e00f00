/**
 * The temporary file that a call writes beside the one that it replaces. Its name is derived from the call, so that
 * recovery can remove the file that a killed process left behind, and no other.
 */
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { TaskId, ToolCallId } from '../../../../shared/records/ids.ts'
import { errorCode } from '../files/file-error.ts'
import type { ConfinedPath } from './confine.ts'
import { type SystemAccess, withFolder } from './folder.ts'

/** The number of hexadecimal digits in a UUID. */
const hashCharsMax = 32

/**
 * Returns the file name for one call. The id is hashed together with the task's, because providers choose the form of
 * call ids and repeat them between sessions.
 */
export function temporaryNameOf({
  taskId,
  callId,
}: {
  taskId: TaskId
  callId: ToolCallId
}): string {
  const hash = createHash('sha256').update(`${taskId}/${callId}`).digest('hex')
  return `.shiplog-${hash.slice(0, hashCharsMax)}.tmp`
}

/**
 * Removes `name` from the folder of `path` if it is a regular file. Rejects with the system's error, and with ToolError
 * if the folder was moved or replaced since it was checked.
 */
export async function removeTemporary(
  access: SystemAccess,
  path: ConfinedPath,
  name: string,
): Promise<void> {
  const folder = { absolute: dirname(path.absolute), relative: path.relative }
  await withFolder(access, folder, {}, async (held) => {
    const found = await access.calls.lstat(held.at(name))
    if (!found.isFile()) return
    await held.assertInPlace()
    await access.calls.unlink(held.at(name))
  }).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error
  })
}
