/**
 * Deletes a folder in a place where other programs can write, such as an agent's command. Node's `rm` finds each folder
 * by its path: if one is replaced by a link meanwhile, it deletes the files to which the link leads.
 */
import { randomUUID } from 'node:crypto'
import { lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { entryIn, hasOpenPaths } from './open-folders.ts'
import { type VisitedFolder, walkFolders } from './walk-folders.ts'

/** Called with each folder before anything in it is deleted. Nothing more is deleted once it throws. */
type BeforeFolder = (folder: VisitedFolder) => Promise<void>

/** Follows no link. Missing files are no error. `top` is a folder. */
export async function removeTree(top: string | Buffer, before?: BeforeFolder): Promise<void> {
  if (!hasOpenPaths && before) return removeByPath(Buffer.from(top), Buffer.from(top), before)
  if (!hasOpenPaths) return rm(top, { recursive: true, force: true, maxRetries: 3 })
  await walkFolders(top, {
    async enter(folder) {
      await before?.(folder)
      return removeFiles(folder)
    },
    leave: async ({ held }, name) => void (await rmdir(entryIn(held, name)).catch(absentOr)),
  }).catch(absentOr)
  await rmdir(top).catch(absentOr)
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

/** Below the folder that is removed. The limit for a whole path is 1,024 on macOS. */
const plainPathBytesMax = 500

async function removeByPath(path: Buffer, top: Buffer, before: BeforeFolder): Promise<void> {
  const status = await lstat(path).catch(absentOr)
  if (!status) return
  if (!status.isDirectory()) return void (await unlink(path).catch(absentOr))
  await before({ held: path, below: () => path.subarray(top.length + 1) })
  if (path.length - top.length > plainPathBytesMax) {
    // What is deeper may have no path that the system accepts: the folder gets a short one first.
    const short = entryIn(top, Buffer.from(randomUUID()))
    await rename(path, short)
    return removeByPath(short, top, before)
  }
  for (const name of await readdir(path, { encoding: 'buffer' }))
    await removeByPath(entryIn(path, name), top, before)
  await rmdir(path).catch(absentOr)
}

function absentOr(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
