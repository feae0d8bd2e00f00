/**
 * Finds other file systems and folders that are mounted below a folder: an agent may have mounted a disk, a server or
 * another folder in its worktree. Their content belongs elsewhere, so it must not be deleted with the folder.
 */
import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import type { VisitedFolder } from '../../open-folders/walk-folders.ts'
import { systemCode } from '../errors.ts'
import { type RawPath, rawDirname } from './raw-path.ts'

/**
 * Reports whether a folder is the root of a mount; true also if permissions prevent the check, or its path is too long
 * for the system: it can't be looked into. False for anything that does not exist. Throws other disk errors.
 */
export type IsMount = (folder: RawPath) => Promise<boolean>

/** Resolves with a check for folders below `root`, by the mounts of this moment. */
export async function createMountCheck(root: RawPath): Promise<IsMount> {
  const start = Buffer.from(root)
  const real = await realpath(root, { encoding: 'buffer' }).catch(() => start)
  const mounts = await listMounts()
  return async (folder) => {
    const below = Buffer.from(folder).subarray(start.length)
    if (mounts.has(Buffer.concat([real, below]).toString('latin1'))) return true
    try {
      return (await lstat(folder)).dev !== (await lstat(rawDirname(folder))).dev
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return false
      if (['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(code)) return true
      throw error
    }
  }
}

/**
 * Like `createMountCheck`, for the folders of a walk through `root`. It needs no path of theirs, which may be too long for
 * the system, or lead elsewhere by now. Throws disk errors.
 */
export async function createWalkedMountCheck(
  root: RawPath,
): Promise<(folder: VisitedFolder) => Promise<boolean>> {
  const real = (await realpath(root, { encoding: 'buffer' })).toString('latin1')
  const { dev } = await stat(root)
  const start = `${real}/`
  const mounts = [...(await listMounts())].filter((point) => point.startsWith(start))
  const below = new Set(mounts.map((point) => point.slice(start.length)))
  return async (folder) =>
    (await stat(folder.held)).dev !== dev ||
    (below.size > 0 && below.has(folder.below().toString('latin1')))
}

/**
 * Returns the mount points as latin1, which Linux lists; empty elsewhere. A folder that is mounted within its own file
 * system (`mount --bind`) has the same device number, so only this list shows it.
 */
async function listMounts(): Promise<ReadonlySet<string>> {
  if (process.platform !== 'linux') return new Set()
  const text = await readFile('/proc/self/mountinfo', 'latin1').catch(() => '')
  // `<id> <parent> <device> <root> <mount point> …`, with spaces and such as octal numbers.
  const points = text.split('\n').map((line) => line.split(' ')[4] ?? '')
  return new Set(points.map((point) => point.replace(/\\([0-7]{3})/g, fromOctal)))
}

const fromOctal = (_: string, digits: string): string =>
  String.fromCharCode(Number.parseInt(digits, 8))

/** Thrown instead of deleting what is mounted there. */
export function mountedError(folder: RawPath): Error {
  const text = `${folder} is mounted from elsewhere and was not deleted; unmount it first`
  return Object.assign(new Error(text), { code: 'EBUSY', path: String(folder) })
}
