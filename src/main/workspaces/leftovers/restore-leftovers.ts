/** Moves the leftovers of a worktree from the trash back into the recreated worktree. */
import type { Stats } from 'node:fs'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf } from '../../../shared/error-message.ts'
import {
  exists,
  explain,
  makeAccessible,
  moveDurable,
  openDataFile,
  rawDirname,
  rawJoin,
  renameDurable,
  syncDirectory,
  systemCode,
} from '../../journal/index.ts'
import { withHeldFolder } from '../../open-folders/open-folders.ts'

/**
 * Moves each file and folder back by rename. Nothing is written through a symbolic link, and nothing is replaced but
 * files that `isReplaceable` reports: as the commit has them that was saved with the leftovers, which are later versions.
 * `placed` and `stayed` are relative paths that were and could not be moved; `submodules` are those whose Git folder was
 * deleted with the removed worktree: with their files in it, each `git status` would fail. Idempotent.
 */
export async function restoreInto(
  worktree: string,
  dir: string,
  isReplaceable: (path: Buffer) => Promise<boolean>,
): Promise<{ placed: Buffer[]; stayed: string[]; submodules: string[] }> {
  const outcome = { placed: [] as Buffer[], stayed: [] as string[], submodules: [] as string[] }
  await moveFolder(Buffer.from(dir), Buffer.from(worktree), Buffer.alloc(0))
  await syncDirectory(rawDirname(dir))
  return outcome

  async function moveFolder(from: Buffer, to: Buffer, below: Buffer): Promise<void> {
    // What cannot be moved out of a read-only folder would stay.
    await makeAccessible(from)
    // A program that still writes in one of them could replace a folder by a link after it was compared.
    await withHeldFolder(from, (fromDir) =>
      withHeldFolder(to, (toDir) => moveBack(fromDir, toDir, below)),
    )
    await rmdir(from).catch(ifFilled)
  }

  async function moveBack(fromDir: Buffer, toDir: Buffer, below: Buffer): Promise<void> {
    for (const name of await readdir(fromDir, { encoding: 'buffer' })) {
      const path = Buffer.concat([below, name])
      // The others must not wait for one that can't be moved.
      await moveEntry(rawJoin(fromDir, name), rawJoin(toDir, name), path).catch((error) =>
        outcome.stayed.push(`${path} (${reasonOf(error)})`),
      )
    }
  }

  async function moveEntry(from: Buffer, to: Buffer, path: Buffer): Promise<void> {
    const [leftover, present] = [await lstat(from), (await exists(to)) ? await lstat(to) : null]
    if (leftover.isDirectory() && (await isCutOff(from, join(worktree, `${path}`)))) {
      outcome.submodules.push(`${path}`)
      return
    }
    const canMove =
      present === null ||
      (isFileOrLink(leftover) && isFileOrLink(present) && (await isReplaceable(path)))
    if (canMove) {
      await move(from, to)
      outcome.placed.push(path)
    } else if (`${path}` !== '.git' && leftover.isDirectory() && present.isDirectory()) {
      const below = Buffer.concat([path, Buffer.from('/')])
      await moveFolder(from, to, below)
    } else outcome.stayed.push(`${path}`)
  }
}

/** Reports whether a folder is the checkout of a submodule whose Git folder is gone. `place` is its path in the worktree. */
async function isCutOff(folder: Buffer, place: string): Promise<boolean> {
  const handle = await openDataFile(rawJoin(folder, Buffer.from('.git')), 'read').catch(() => null)
  if (handle === null) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(gitFileBytesMax), 0)
    const [, gitDir] = /^gitdir: (.+?)\r?\n?$/s.exec(buffer.toString('utf8', 0, bytesRead)) ?? []
    if (gitDir === undefined || !ofWorktreeSubmodule.test(gitDir)) return false
    return !(await exists(resolve(place, gitDir)))
  } finally {
    await handle.close()
  }
}

/** Longer paths are possible on no system. */
const gitFileBytesMax = 8192
const ofWorktreeSubmodule = /[\\/]worktrees[\\/][^\\/]+[\\/]modules[\\/]/

/** Across two file systems it is a copy, which is compared. */
async function move(from: Buffer, to: Buffer): Promise<void> {
  try {
    await renameDurable(from, to)
  } catch (error) {
    const [source, target] = [String(from), String(to)]
    const isText = [from, to].every((path) => Buffer.from(String(path)).equals(path))
    if (systemCode(error) !== 'EXDEV' || !isText) throw error
    await unlink(to).catch((missing) => {
      if (systemCode(missing) !== 'ENOENT') throw missing
    })
    await moveDurable(source, target)
  }
}

/** Some file stayed, or was written meanwhile. */
function ifFilled(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error
}

/** The system's own message would name the path of an open folder. */
function reasonOf(error: unknown): string {
  const code = systemCode(error)
  return /^E[A-Z]+$/.test(code) ? explain(code) : messageOf(error)
}

const isFileOrLink = (status: Stats): boolean => status.isFile() || status.isSymbolicLink()
