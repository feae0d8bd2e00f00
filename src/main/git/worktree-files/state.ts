/**
 * Detects and repairs broken worktrees of Shiplog's before Git works in one. A worktree whose `.git` file is missing
 * or damaged is a plain folder: Git would use the enclosing repository, and write the user's files there.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { chmod, lstat, readdir, realpath, unlink } from 'node:fs/promises'
import path from 'node:path'
import { lstatOf, statOf } from '../repository/file-facts.ts'
import { folderNamedBy, readIfPossible } from '../repository/read-git-file.ts'
import { writeDurable } from './durable.ts'

/** Undefined on Windows, where no folder contains named pipes. */
const { O_NONBLOCK = 0 } = constants

export type WorktreeState =
  | { kind: 'whole' }
  /**
   * Its `.git` file is missing, empty or refers to a missing folder, Git's own folder for it lost
   * files, a link is in its place, or it may not be read.
   */
  | { kind: 'broken'; why: string }
  /** It has a `.git` folder: it was made a separate repository. */
  | { kind: 'own-repository' }

/** Inspects a worktree. Only reads. */
export function inspectWorktree(root: string): WorktreeState {
  if (isLink(root)) return { kind: 'broken', why: 'a link is in its place' }
  if (isClosed(root)) return { kind: 'broken', why: 'its folder may not be read' }
  const file = path.join(root, '.git')
  const found = lstatOf(file)
  if (found === null) return { kind: 'broken', why: 'its .git file is missing' }
  if (found.isDirectory()) return { kind: 'own-repository' }
  const adminDir = found.isFile() ? namedAdminDir(root) : null
  if (adminDir === null) {
    return {
      kind: 'broken',
      why: !found.isFile()
        ? 'its .git is not a file'
        : found.size === 0
          ? 'its .git file is empty'
          : 'its .git file is damaged',
    }
  }
  for (const name of ['HEAD', 'commondir', 'gitdir']) {
    const text = readIfPossible(path.join(adminDir, name)) ?? ''
    if (isBlank(text)) return { kind: 'broken', why: `${path.join(adminDir, name)} is empty` }
  }
  // A missing index is one that Git has not written yet.
  const index = path.join(adminDir, 'index')
  if (isBlankIndex(index)) return { kind: 'broken', why: `${index} is empty` }
  return { kind: 'whole' }
}

/**
 * Rewrites the files of a worktree that a power cut or an agent destroyed: its `.git` file, and
 * Git's administrative files if they are empty. Lets this user read its folder again. Overwrites no
 * file with content. `commonDir` is the repository's `.git` folder. Resolves with the resulting
 * state.
 */
export async function repairWorktree({
  commonDir,
  root,
  branch,
}: {
  commonDir: string
  root: string
  branch: string | null
}): Promise<WorktreeState> {
  const before = inspectWorktree(root)
  if (before.kind !== 'broken') return before
  if (isClosed(root)) await chmod(root, (await lstat(root)).mode | 0o700)
  const adminDir = await findAdminDir(commonDir, root)
  if (adminDir === null) return before
  const missing = (name: string) => isBlank(readIfPossible(path.join(adminDir, name)) ?? '')
  const gitFile = path.join(await realpath(root), '.git')
  if (missing('gitdir')) await replaceFile(path.join(adminDir, 'gitdir'), `${gitFile}\n`)
  if (missing('commondir')) await replaceFile(path.join(adminDir, 'commondir'), '../..\n')
  if (branch !== null && missing('HEAD'))
    await replaceFile(path.join(adminDir, 'HEAD'), `ref: refs/heads/${branch}\n`)
  // Git recreates it from HEAD; the files are unchanged.
  const index = path.join(adminDir, 'index')
  if (isBlankIndex(index)) await unlink(index)
  const entry = await lstat(gitFile).catch(() => null)
  // A link's target must not be written, and opening a named pipe would block forever.
  const canBeWritten = entry === null || entry.isFile()
  if (canBeWritten && namedAdminDir(root) === null)
    await writeDurable(gitFile, `gitdir: ${adminDir}\n`)
  return inspectWorktree(root)
}

/** A named pipe can't be written, and a link's target must not be: both are replaced. */
async function replaceFile(file: string, text: string): Promise<void> {
  const found = lstatOf(file)
  if (found?.isFIFO() || found?.isSymbolicLink()) await unlink(file)
  await writeDurable(file, text)
}

/** The files that a link leads to are not the worktree's: none of them is stored or changed. */
const isLink = (root: string): boolean => lstatOf(root)?.isSymbolicLink() === true

/** Reports whether its owner lacks permissions, which an agent may have removed. Root and Windows need none. */
function isClosed(root: string): boolean {
  const user = process.geteuid?.() ?? 0
  const found = lstatOf(root)
  return user !== 0 && found?.isDirectory() === true && (found.mode & 0o500) !== 0o500
}

/** A power cut leaves a file empty, or with its length and full of zeros. */
const isBlank = (text: string): boolean => text.replaceAll('\0', '').trim() === ''

/** An index with content begins with a signature. Git would wait for a named pipe forever. */
function isBlankIndex(file: string): boolean {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | O_NONBLOCK)
  } catch {
    return false
  }
  try {
    const found = fstatSync(fd)
    if (found.isFIFO()) return true
    if (!found.isFile()) return false
    const signature = Buffer.alloc(signatureBytes)
    return signature.subarray(0, readSync(fd, signature)).every((byte) => byte === 0)
  } finally {
    closeSync(fd)
  }
}

const signatureBytes = 4

/**
 * Returns Git's own folder for the worktree, from its `.git` file; null if there is no such folder.
 */
export function namedAdminDir(root: string): string | null {
  const text = readIfPossible(path.join(root, '.git')) ?? ''
  const named = folderNamedBy(text)
  if (named === undefined || named.includes('\0')) return null
  const adminDir = path.resolve(root, named)
  // A repository's own folder is not that of a worktree.
  if (path.basename(path.dirname(adminDir)) !== 'worktrees') return null
  return statOf(adminDir)?.isDirectory() ? adminDir : null
}

/** Reports whether the repository still has an administrative folder for the worktree. */
export async function canRepairWorktree(commonDir: string, root: string): Promise<boolean> {
  return (await findAdminDir(commonDir, root)) !== null
}

async function findAdminDir(commonDir: string, root: string): Promise<string | null> {
  if (isLink(root)) return null
  const all = path.join(commonDir, 'worktrees')
  const named = namedAdminDir(root)
  if (named !== null && path.dirname(await realpath(named)) === (await realpath(all))) return named
  const noted = await adminDirOf(commonDir, root)
  if (noted !== null) return noted
  // Git names it after the folder. It belongs to this worktree if it refers to no other.
  const byName = path.join(all, path.basename(root))
  const text = readIfPossible(path.join(byName, 'gitdir'))
  return text !== null && isBlank(text) ? byName : null
}

/**
 * Returns Git's folder for one worktree, found by the path recorded in it, because Git can't be run
 * in a damaged worktree.
 */
export async function adminDirOf(commonDir: string, worktreePath: string): Promise<string | null> {
  const all = path.join(commonDir, 'worktrees')
  const wanted = path.join(await resolved(worktreePath), '.git')
  for (const name of await readdir(all).catch(() => [])) {
    const noted = readIfPossible(path.join(all, name, 'gitdir'))
    if (noted === null) continue
    const gitFile = path.resolve(all, name, noted.replace(/\n$/, ''))
    if (path.join(await resolved(path.dirname(gitFile)), '.git') === wanted) {
      return path.join(all, name)
    }
  }
  return null
}

/** Resolves links as far up as the path exists. */
export async function resolved(file: string): Promise<string> {
  const absolute = path.resolve(file)
  try {
    return await realpath(absolute)
  } catch {
    const parent = path.dirname(absolute)
    return parent === absolute
      ? absolute
      : path.join(await resolved(parent), path.basename(absolute))
  }
}
