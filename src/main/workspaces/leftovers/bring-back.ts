/** Moves what the trash holds of a worktree back into one that was made again. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, removeDurable, renameDurable } from '../../journal/index.ts'

/**
 * Each file and folder goes where it was, by rename, unless something stands there: nothing is replaced, and
 * nothing is written through a symbolic link. `stayed`: relative paths of what could not go. Can be repeated.
 */
export async function bringBackInto(
  worktree: string,
  dir: string,
): Promise<{ moved: number; stayed: string[] }> {
  const outcome = { moved: 0, stayed: [] as string[] }
  await bringBack('')
  return outcome

  async function bringBack(below: string): Promise<void> {
    for (const name of await readdir(join(dir, below))) {
      const path = below === '' ? name : `${below}/${name}`
      const [from, to] = [join(dir, path), join(worktree, path)]
      if (!(await exists(to))) {
        await renameDurable(from, to)
        outcome.moved++
      } else if (path !== '.git' && (await isFolder(from)) && (await isFolder(to))) {
        await bringBack(path)
      } else outcome.stayed.push(path)
    }
    if ((await readdir(join(dir, below))).length === 0) await removeDurable(join(dir, below))
  }
}

const isFolder = async (path: string): Promise<boolean> => (await lstat(path)).isDirectory()
