/** Deletes files of a worktree in the trash, and nothing behind a link or a mount, or that was changed meanwhile. */
import { randomUUID } from 'node:crypto'
import { lstat, readdir, rmdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type IsMount,
  makeAccessible,
  type RawPath,
  rawDirname,
  rawJoin,
  systemCode,
} from '../../journal/index.ts'
import { beingDeletedName } from '../../sessions/trash-names.ts'

/**
 * The check returns false if a folder in a file's path is a symbolic link or a mount, because its
 * content is outside the worktree.
 */
export function createPathCheck(
  root: string,
  isMount: IsMount,
): (name: Buffer) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>([['', Promise.resolve(true)]])
  const isRealFolder = (folder: string): Promise<boolean> => {
    const before = known.get(folder)
    if (before) return before
    const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
    const path = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder, 'latin1')])
    const answer = isRealFolder(above).then(
      async (isReal) =>
        isReal &&
        (await lstat(path).catch(() => null))?.isDirectory() === true &&
        !(await isMount(path)),
    )
    known.set(folder, answer)
    return answer
  }
  return (name) => {
    const text = name.toString('latin1')
    return isRealFolder(text.slice(0, Math.max(0, text.lastIndexOf('/'))))
  }
}

/** Git stores no empty folders, so they hold no work. */
export async function deleteEmptyFolders(dir: RawPath, isMount: IsMount): Promise<void> {
  // An unreadable folder stays.
  const entries = await readdir(dir, { encoding: 'buffer', withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const path = rawJoin(dir, entry.name)
    if (String(entry.name) === '.git' || (await isMount(path))) continue
    await deleteEmptyFolders(path, isMount)
    const left = await readdir(path).catch(() => null)
    if (left?.length === 0) await deleteEntry(path, rmdir)
  }
}

/**
 * Deletes a file or folder also from a read-only folder. What may not be deleted stays, and so does what can't be reached
 * because its path is too long for the system in the trash.
 */
export async function deleteEntry(
  path: Buffer,
  remove: (path: Buffer) => Promise<void>,
): Promise<void> {
  await remove(path).catch(async (error) => {
    if (['ENOENT', 'ENAMETOOLONG'].includes(systemCode(error))) return
    if (systemCode(error) !== 'EACCES') throw error
    const folder = rawDirname(path)
    const mode = (await lstat(folder)).mode & 0o700
    // A folder with fewer permissions was not compared with the commit.
    if (mode === 0o500 && (await makeAccessible(folder)) !== null) await remove(path)
  })
}

export type ChangeCheck = (file: Buffer) => Promise<boolean>

/**
 * Returns a check of whether a file was changed after this call, or at most one tick of the file system's clock before.
 * `dir` is on the same file system.
 */
export async function createChangeCheck(dir: string): Promise<ChangeCheck> {
  const marker = join(dir, beingDeletedName(randomUUID()))
  await writeFile(marker, '')
  const { ctimeNs: since } = await lstat(marker, { bigint: true })
  await unlink(marker)
  return async (file) => {
    const found = await lstat(file, { bigint: true }).catch(() => null)
    return found !== null && found.ctimeNs >= since
  }
}
