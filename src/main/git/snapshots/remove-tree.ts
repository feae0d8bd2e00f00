/**
 * Deletes a folder in a place where other programs can write, such as an agent's command. Node's `rm` finds each folder
 * by its path: if one is replaced by a link meanwhile, it deletes the files to which the link leads.
 */
import { readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { entryIn, hasOpenPaths } from '../../open-folders/open-folders.ts'
import { type VisitedFolder, walkFolders } from '../../open-folders/walk-folders.ts'

/** Follows no link. Missing files are no error. Elsewhere than on Linux it is Node's `rm`. */
export async function removeTree(dir: string): Promise<void> {
  if (!hasOpenPaths) return rm(dir, { recursive: true, force: true, maxRetries: 3 })
  await walkFolders(dir, {
    enter: removeFiles,
    leave: async ({ held }, name) => void (await rmdir(entryIn(held, name)).catch(absentOr)),
  }).catch(absentOr)
  await rmdir(dir).catch(absentOr)
}

/** Returns the names of the folders. */
async function removeFiles({ held }: VisitedFolder): Promise<Buffer[]> {
  const folders: Buffer[] = []
  for (const entry of await readdir(held, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) folders.push(entry.name)
    else await unlink(entryIn(held, entry.name)).catch(absentOr)
  }
  return folders
}

function absentOr(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
