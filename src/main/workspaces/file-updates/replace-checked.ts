/** Replaces or deletes a file only while it holds the expected content. */
import { type FileHandle, link, lstat, open, readlink, rename, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { blobHash, type Content } from '../../git/index.ts'
import { openDataFile, writeFully } from '../../journal/index.ts'
import { type Owner, temporaryPrefix } from './beside.ts'
import { absentOr, idOf, readChunks } from './file-state.ts'
import type { At } from './held-folders.ts'

/** A file was changed between the check of all files and its own replacement. */
export class ChangedMeanwhileError extends Error {
  readonly path: string
  constructor(path: string) {
    super(`${path} was changed meanwhile`)
    this.name = 'ChangedMeanwhileError'
    this.path = path
  }
}

/** A file that is to be replaced: its owner and its permission bits. */
interface Replaced extends Owner {
  mode: number
}

/**
 * Runs `replace` only while the file holds the expected content, with what it is now; null for a link. If another
 * process wrote to it during the replacement, the file is restored. `at` finds the entries of its folder.
 */
export async function replaceChecked(
  path: string,
  at: At,
  expected: Content,
  updateId: string,
  replace: (was: Replaced | null) => Promise<void>,
  /** Called if its second name could not be deleted, as of a file that a virus scanner has open. */
  onNameLeft: () => void,
): Promise<void> {
  const file = at(posix.basename(path))
  if (expected.kind === 'link') {
    const target = await readlink(file, { encoding: 'buffer' }).catch(() => null)
    if (
      target === null ||
      blobHash(expected.id, target.length).update(target).digest('hex') !== expected.id
    )
      throw new ChangedMeanwhileError(path)
    return replace(null)
  }
  const handle = await openDataFile(file, 'read').catch(() => null)
  if (handle === null) throw new ChangedMeanwhileError(path)
  let second: string | null = null
  try {
    const before = await handle.stat({ bigint: true })
    const same = (await idOf(handle, expected)) === expected.id
    second = await secondName(file, at(`${temporaryPrefix(updateId)}replaced`))
    const named = await lstat(second ?? file, { bigint: true }).catch(absentOr)
    const after = await handle.stat({ bigint: true })
    if (!same || named?.ino !== before.ino || after.mtimeNs !== before.mtimeNs)
      throw new ChangedMeanwhileError(path)
    const was = { uid: Number(after.uid), gid: Number(after.gid), mode: Number(after.mode) & 0o777 }
    // Windows can't replace an open file.
    if (process.platform === 'win32') {
      await handle.close()
      return await replace(was)
    }
    await replace(was)
    const late = await handle.stat({ bigint: true })
    if (late.mtimeNs === after.mtimeNs && late.size === after.size) return
    if (second) await rename(second, file)
    else await restoreCopy(handle, file, at(`${temporaryPrefix(updateId)}late`))
    throw new ChangedMeanwhileError(path)
  } finally {
    if (second)
      await unlink(second)
        .catch((error) => absentOr(error))
        .catch(onNameLeft)
    await handle.close().catch(() => undefined)
  }
}

/**
 * Gives the file a second name until it is known whether it was written to while it was replaced: by that name the file
 * itself is restored, so that a process that has it open keeps writing to it. Null on a file system without hard links.
 */
async function secondName(file: string, name: string): Promise<string | null> {
  return link(file, name).then(
    () => name,
    () => null,
  )
}

/**
 * The file has no name any more but is still open here: writes a copy of its present content to its
 * place.
 */
async function restoreCopy(handle: FileHandle, file: string, name: string): Promise<void> {
  const { mode, size } = await handle.stat()
  const copy = await open(name, 'wx', mode & 0o777)
  try {
    for await (const chunk of readChunks(handle, size)) await writeFully(copy, chunk)
    await copy.sync()
  } finally {
    await copy.close()
  }
  await rename(name, file)
}
