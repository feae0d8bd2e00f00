/**
 * Visits a folder and those below it, children first, through open folders. However deep the tree is, at most three are
 * open at once: the way back up is `..`, whose identity is compared with that of the folder that the walk came from.
 */
import { lstat, open, stat } from 'node:fs/promises'
import { entryIn, folderFlags, hasOpenPaths, openPath } from './open-folders.ts'

export interface VisitedFolder {
  /** A path that leads to it during the call. */
  held: Buffer
  /** Returns its path relative to the start, with `/`; empty for the start. */
  below(): Buffer
}

interface FolderVisitor {
  /** Returns the names of the folders in it that are to be visited. */
  enter(folder: VisitedFolder): Promise<Buffer[]>
  /** Called when the folder `name` in `folder` was visited, or could not be opened, such as a link in its place. */
  leave(folder: VisitedFolder, name: Buffer): Promise<void>
}

interface Held {
  path: Buffer
  close(): Promise<void>
}

/** Throws the system's error, or with code ESTALE if a folder was moved away during its visit. */
export async function walkFolders(start: string | Buffer, visitor: FolderVisitor): Promise<void> {
  const above: { name: Buffer; waiting: Buffer[]; path: Buffer; identity: string }[] = []
  let folder = await hold(Buffer.from(start))
  const visited = ({ path }: Held, ...last: Buffer[]): VisitedFolder => ({
    held: path,
    below: () => joined([...above.map(({ name }) => name), ...last]),
  })
  try {
    let waiting = await visitor.enter(visited(folder))
    for (;;) {
      const name = waiting.pop()
      if (name === undefined) {
        const back = above.pop()
        if (back === undefined) return
        const from = folder
        folder = await holdAbove(from, back)
        await from.close()
        await visitor.leave(visited(folder), back.name)
        waiting = back.waiting
        continue
      }
      const child = await hold(entryIn(folder.path, name)).catch(unopened)
      const inside = child ? await visitor.enter(visited(child, name)).catch(closing(child)) : []
      if (child === null || inside.length === 0) {
        await child?.close()
        await visitor.leave(visited(folder), name)
        continue
      }
      const parent = folder
      folder = child
      above.push({ name, waiting, path: parent.path, identity: await identityOf(parent.path) })
      await parent.close()
      waiting = inside
    }
  } finally {
    await folder.close()
  }
}

async function hold(path: Buffer): Promise<Held> {
  if (hasOpenPaths) {
    const handle = await open(path, folderFlags)
    return { path: Buffer.from(openPath(handle)), close: () => handle.close() }
  }
  if (!(await lstat(path)).isDirectory())
    throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
  return { path, close: async () => undefined }
}

async function holdAbove(
  from: Held,
  { path, identity }: { path: Buffer; identity: string },
): Promise<Held> {
  const found = await hold(hasOpenPaths ? entryIn(from.path, Buffer.from('..')) : path)
  if ((await identityOf(found.path).catch(closing(found))) === identity) return found
  await found.close()
  throw Object.assign(new Error('a folder was moved away meanwhile'), { code: 'ESTALE' })
}

async function identityOf(path: Buffer): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev}:${ino}`
}

const closing = (held: Held) => async (error: unknown) => {
  await held.close()
  throw error
}

/** It was deleted, a link or a file is in its place, or permissions prevent it. */
function unopened(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(error.code ?? '')) return null
  throw error
}

const joined = (names: Buffer[]): Buffer =>
  Buffer.concat(names.flatMap((name, at) => (at === 0 ? [name] : [Buffer.from('/'), name])))
