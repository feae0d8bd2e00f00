/**
 * Reads the `.git` folder of a working tree and its checked-out branch from files whose format is
 * the same in every version of Git. Each turn needs them, and a Git process costs a hundred times
 * as much.
 */
import { lstatSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { folderNamedBy, readGitFile, readIfPossible, withoutLineEnd } from './read-git-file.ts'

interface GitDir {
  /** The Git folder of this working tree alone: HEAD, the index. Absolute. */
  gitDir: string
  /** The folder that all worktrees of the repository share: objects, references. Absolute. */
  commonDir: string
  /** Without `refs/heads/`; null if HEAD is detached. */
  branch: string | null
  /** The commit of HEAD; null if it is not in the branch's own file, or there is none yet. */
  commit: string | null
}

/**
 * Returns null if only Git can answer: `dir` is not the root of a working tree, belongs to another
 * user, stores its references in another format, or has a file in an unexpected format.
 */
export function readGitDir(dir: string): GitDir | null {
  try {
    const dotGit = path.join(dir, '.git')
    const [own, root] = [lstatSync(dotGit), statSync(dir)]
    const isFolder = own.isDirectory()
    if (!(isFolder || own.isFile()) || !isOurs(own) || !isOurs(root)) return null
    const gitDir = isFolder ? dotGit : path.resolve(dir, pointedTo(dotGit))
    const commonDir = commonDirIn(gitDir)
    if (isFolder && commonDir !== gitDir) return null
    const needed = [gitDir, path.join(commonDir, 'objects'), path.join(commonDir, 'refs')]
    for (const found of needed.map((one) => statSync(one)))
      if (!found.isDirectory() || !isOurs(found)) return null
    const head = headIn(gitDir, commonDir)
    return head && { gitDir, commonDir, ...head }
  } catch {
    return null
  }
}

/**
 * Returns true if a repository certainly has no reference of this name (`refs/heads/main`): neither
 * as a file nor among the packed ones. False if it may have one. `dir` is as for `readGitDir`.
 */
export function lacksReference(dir: string, name: string): boolean {
  const found = readGitDir(dir)
  return found !== null && lacksReferenceIn(found.commonDir, name)
}

/**
 * Like `lacksReference`, for a common Git folder that holds references as files, which is every one
 * not created with `reftable`.
 */
export function lacksReferenceIn(commonDir: string, name: string): boolean {
  try {
    if (lstatSync(path.join(commonDir, name), { throwIfNoEntry: false })) return false
    const packed = readIfThere(path.join(commonDir, 'packed-refs'))
    return !packed?.includes(` ${name}\n`)
  } catch {
    return false
  }
}

/** Git refuses to work in another user's repository (`safe.directory`), and prints the reason. */
const isOurs = ({ uid }: Stats): boolean =>
  process.geteuid === undefined || uid === process.geteuid()

function pointedTo(gitFile: string): string {
  const target = folderNamedBy(readGitFile(gitFile))
  if (target === undefined) throw new Error(`${gitFile} names no folder`)
  return target
}

function commonDirIn(gitDir: string): string {
  const text = readIfThere(path.join(gitDir, 'commondir'))
  return text === null ? gitDir : path.resolve(gitDir, withoutLineEnd(text))
}

function readIfThere(file: string): string | null {
  try {
    return readGitFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Returns null if HEAD holds neither a branch nor a commit. */
function headIn(gitDir: string, commonDir: string): Pick<GitDir, 'branch' | 'commit'> | null {
  const file = path.join(gitDir, 'HEAD')
  if (!lstatSync(file).isFile()) return null
  const text = readGitFile(file)
  const detached = commitIn(text)
  if (detached !== null) return { branch: null, commit: detached }
  const [, branch] = /^ref: refs\/heads\/(\S+)\n$/.exec(text) ?? []
  // With references in another format, HEAD contains this invalid one.
  if (branch === undefined || branch === '.invalid') return null
  const loose = readIfPossible(path.join(commonDir, 'refs', 'heads', branch)) ?? ''
  // A branch can be a symbolic reference to another one.
  return loose.startsWith('ref:') ? null : { branch, commit: commitIn(loose) }
}

const commitIn = (text: string): string | null =>
  /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text)?.[1] ?? null
