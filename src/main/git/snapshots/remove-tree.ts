/**
 * Deletes a folder in a place where other programs can write, such as an agent's command. Node's `rm` finds each folder
 * by its path: if one is replaced by a link meanwhile, it deletes the files to which the link leads.
 */
import { type FileHandle, open, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { folderFlags, hasOpenPaths, openPath } from '../../open-folders/open-folders.ts'

/** Follows no link. Missing files are no error. Elsewhere than on Linux it is Node's `rm`. */
export async function removeTree(dir: string): Promise<void> {
  if (!hasOpenPaths) return rm(dir, { recursive: true, force: true, maxRetries: 3 })
  await removeFolder(Buffer.from(dir))
}

async function removeFolder(path: Buffer): Promise<void> {
  const folder = await open(path, folderFlags).catch(absentOr)
  if (folder === null) return
  try {
    await removeEntries(folder)
  } finally {
    await folder.close()
  }
  await rmdir(path).catch(absentOr)
}

async function removeEntries(folder: FileHandle): Promise<void> {
  const held = `${openPath(folder)}/`
  for (const entry of await readdir(held, { withFileTypes: true, encoding: 'buffer' })) {
    // As bytes: a name need not be UTF-8.
    const path = Buffer.concat([Buffer.from(held), entry.name])
    if (entry.isDirectory()) await removeFolder(path)
    else await unlink(path).catch(absentOr)
  }
}

function absentOr(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
