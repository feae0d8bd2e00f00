/**
 * Deletes files of a worktree in the trash, and nothing behind a link or a mount, or that was changed meanwhile. A
 * program that was in the worktree may still write there, so all goes through open folders.
 */
import { randomUUID } from 'node:crypto'
import { lstat, readdir, rmdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type IsMount,
  makeAccessible,
  rawDirname,
  rawJoin,
  renameDurable,
  systemCode,
} from '../../journal/index.ts'
import { entryIn, inTree, withTree } from '../../open-folders/open-folders.ts'
import { walkFolders } from '../../open-folders/walk-folders.ts'
import { beingDeletedName } from '../../sessions/trash-names.ts'

/**
 * Deletes these files of the worktree `dir`, and its `.git` file, which refers to the deleted Git folder. A `.git` folder
 * is a repository of the user's, and stays.
 */
export async function deleteFiles(
  dir: string,
  names: readonly Buffer[],
  { isMount, changedSince }: { isMount: IsMount; changedSince: ChangeCheck },
): Promise<void> {
  const isInMount = createMountedPathCheck(dir, isMount)
  await withTree(dir, async (tree) => {
    for (const [key, inFolder] of byFolder(names)) {
      const folder = Buffer.from(key, 'latin1')
      if (await isInMount(key)) continue
      await inTree(tree, folder, async (held) => {
        for (const name of inFolder) {
          const path = rawJoin(held, name)
          // A shell or an editor that was in the worktree may still write to it.
          if (!(await changedSince(path))) await deleteEntry(held, () => unlink(path))
        }
      }).catch(ifUnreachable)
    }
    await inTree(tree, Buffer.alloc(0), async (held) => {
      const gitFile = rawJoin(held, Buffer.from('.git'))
      if ((await lstat(gitFile).catch(() => null))?.isFile())
        await deleteEntry(held, () => unlink(gitFile))
    })
  })
}

/** Returns the names of the files by their folder, which is empty for the root, in Latin-1. */
function byFolder(names: readonly Buffer[]): Map<string, Buffer[]> {
  const folders = new Map<string, Buffer[]>()
  for (const name of names) {
    const slash = name.lastIndexOf(0x2f)
    const key = name.toString('latin1', 0, Math.max(0, slash))
    const known = folders.get(key) ?? []
    folders.set(key, known)
    known.push(name.subarray(slash + 1))
  }
  return folders
}

/** The content of a mount is outside the worktree. */
function createMountedPathCheck(root: string, isMount: IsMount) {
  const known = new Map<string, Promise<boolean>>([['', Promise.resolve(false)]])
  const isInMount = (folder: string): Promise<boolean> => {
    const before = known.get(folder)
    if (before) return before
    const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
    const path = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder, 'latin1')])
    const answer = isInMount(above).then(async (isAbove) => isAbove || (await isMount(path)))
    known.set(folder, answer)
    return answer
  }
  return isInMount
}

/** A folder is missing, has a link in its place, or can't be reached: its files stay. */
function ifUnreachable(error: unknown): void {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'].includes(systemCode(error)))
    throw error
}

/** Git stores no empty folders, so they hold no work. */
export async function deleteEmptyFolders(dir: string, isMount: IsMount): Promise<void> {
  await walkFolders(dir, {
    async enter({ held, below }) {
      // An unreadable folder stays.
      const entries = await readdir(held, { encoding: 'buffer', withFileTypes: true }).catch(
        () => [],
      )
      const folders: Buffer[] = []
      for (const entry of entries) {
        if (!entry.isDirectory() || String(entry.name) === '.git') continue
        const path = rawJoin(rawJoin(dir, below()), entry.name)
        if (!(await isMount(path))) folders.push(entry.name)
      }
      return folders
    },
    async leave({ held }, name) {
      const path = rawJoin(held, name)
      // Asked first, because a read-only folder around it is made writable for a deletion.
      const left = await readdir(path).catch(() => null)
      if (left?.length === 0) await deleteEntry(held, () => rmdir(path).catch(ifFilled))
    },
  })
}

function ifFilled(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error))) throw error
}

/** Moves a folder of the worktree away by one rename. `path` is relative, with `/`. */
export async function moveOut(dir: string, path: string, to: string): Promise<void> {
  const [folder, name] = [rawDirname(path), Buffer.from(path.slice(path.lastIndexOf('/') + 1))]
  const below = String(folder) === '.' ? Buffer.alloc(0) : folder
  await withTree(dir, (tree) =>
    inTree(tree, below, (held) => renameDurable(rawJoin(held, name), to)),
  )
}

/**
 * Deletes an entry also of a read-only folder, which is held. What may not be deleted stays, and so does what can't be reached
 * because its path is too long for the system in the trash.
 */
async function deleteEntry(held: Buffer, remove: () => Promise<void>): Promise<void> {
  await remove().catch(async (error) => {
    if (['ENOENT', 'ENAMETOOLONG'].includes(systemCode(error))) return
    if (systemCode(error) !== 'EACCES') throw error
    const mode = (await stat(held)).mode & 0o700
    // A folder with fewer permissions was not compared with the commit.
    if (mode === 0o500 && (await makeAccessible(entryIn(held, Buffer.from('.')))) !== null)
      await remove()
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
