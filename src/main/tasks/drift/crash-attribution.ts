/** Separates changes by the interrupted turn itself from changes by others. */
import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openDataFile } from '../../journal/index.ts'
import type { Trail } from '../../runs/session-history.ts'

/** File systems keep times of files in steps of up to two seconds. */
const clearlyAfterMs = 2_000

/**
 * Determines who made a change since the last snapshot. `own`: the task's edit tool wrote exactly that content.
 * `unclear`: a command ran, and the file was not written clearly after the run's recorded end. `others`: neither holds.
 */
export async function attributeChange(
  dir: string,
  path: string,
  { uncovered, endedAt }: Trail,
): Promise<'own' | 'unclear' | 'others'> {
  const written = uncovered.written.get(path)
  if (written !== undefined && written === (await contentHash(dir, path))) return 'own'
  if (!uncovered.unclear) return 'others'
  const changedAt = await modifiedAt(dir, path)
  return endedAt !== null && changedAt !== null && changedAt > endedAt + clearlyAfterMs
    ? 'others'
    : 'unclear'
}

/** Returns the SHA-256 of a file's content in hex, of its target's path for a link; null if it can't be read. */
export async function contentHash(dir: string, path: string): Promise<string | null> {
  const file = join(dir, path)
  const found = await lstat(file).catch(() => null)
  if (found === null || found.isDirectory()) return null
  const hash = createHash('sha256')
  if (found.isSymbolicLink()) return hash.update(await readlink(file)).digest('hex')
  try {
    const handle = await openDataFile(file, 'read')
    await pipeline(handle.createReadStream(), hash)
    return hash.digest('hex')
  } catch {
    return null
  }
}

/** Returns the modification time in milliseconds since the epoch; null if there is no file. */
export async function modifiedAt(dir: string, path: string): Promise<number | null> {
  const found = await lstat(join(dir, path)).catch(() => null)
  return found?.mtimeMs ?? null
}
