/** Moves the leftovers of a worktree from the trash back into the recreated worktree. */
import { lstat, readdir } from 'node:fs/promises'
import {
  exists,
  makeAccessible,
  type RawPath,
  rawJoin,
  removeDurable,
  renameDurable,
} from '../../journal/index.ts'

/**
 * Moves each file and folder back by rename, unless its place is taken: nothing is replaced, and
 * nothing is written through a symbolic link. `stayed` are relative paths that could not be moved.
 * Idempotent.
 */
export async function restoreInto(
  worktree: string,
  dir: string,
): Promise<{ moved: number; stayed: string[] }> {
  const outcome = { moved: 0, stayed: [] as string[] }
  await moveBack(dir, worktree, '')
  return outcome

  async function moveBack(fromDir: RawPath, toDir: RawPath, below: string): Promise<void> {
    // What cannot be moved out of a read-only folder would stay.
    await makeAccessible(fromDir)
    for (const name of await readdir(fromDir, { encoding: 'buffer' })) {
      const path = `${below}${name}`
      const [from, to] = [rawJoin(fromDir, name), rawJoin(toDir, name)]
      if (!(await exists(to))) {
        await renameDurable(from, to)
        outcome.moved++
      } else if (path !== '.git' && (await isFolder(from)) && (await isFolder(to))) {
        await moveBack(from, to, `${path}/`)
      } else outcome.stayed.push(path)
    }
    if ((await readdir(fromDir)).length === 0) await removeDurable(fromDir)
  }
}

const isFolder = async (path: RawPath): Promise<boolean> => (await lstat(path)).isDirectory()
