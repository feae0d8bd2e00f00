/**
 * The `.git` folder of a working tree and its checked-out branch, read from files whose format is the same in every
 * version of Git. Each turn needs them, and a Git process costs a hundred times as much.
 */
import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { readGitFile } from './read-git-file.ts'

interface GitDir {
  /** The folder of this working tree alone: HEAD, the index. Absolute. */
  gitDir: string
  /** The folder that all worktrees of the repository share: objects, references. Absolute. */
  commonDir: string
  /** Without `refs/heads/`; null when HEAD is detached. */
  branch: string | null
  /** That HEAD names; null where another file than the branch's own has it, or there is none yet. */
  commit: string | null
}

/**
 * Null when only Git can answer: `dir` is not the root of a working tree, belongs to another user, stores its
 * references in another format, or has a file that is not as Git writes it.
 */
export async function readGitDir(dir: string): Promise<GitDir | null> {
  try {
    const dotGit = path.join(dir, '.git')
    const [own, root] = await Promise.all([lstat(dotGit), stat(dir)])
    const isFolder = own.isDirectory()
    if (!(isFolder || own.isFile()) || !isOurs(own) || !isOurs(root)) return null
    const gitDir = isFolder ? dotGit : path.resolve(dir, await pointedTo(dotGit))
    const commonDir = await commonDirIn(gitDir)
    if (isFolder && commonDir !== gitDir) return null
    const needed = [gitDir, path.join(commonDir, 'objects'), path.join(commonDir, 'refs')]
    for (const found of await Promise.all(needed.map((one) => stat(one))))
      if (!found.isDirectory() || !isOurs(found)) return null
    const head = await headIn(gitDir, commonDir)
    return head && { gitDir, commonDir, ...head }
  } catch {
    return null
  }
}

/**
 * True when a repository certainly has no reference of this name (`refs/heads/main`): there is neither a file of it
 * nor a line in the list of packed ones. False where it may have one. `dir`: as for `readGitDir`.
 */
export async function lacksReference(dir: string, name: string): Promise<boolean> {
  const found = await readGitDir(dir)
  return found !== null && lacksReferenceIn(found.commonDir, name)
}

/** The same for a folder that holds references as files, which every one does that was not made with `reftable`. */
export async function lacksReferenceIn(commonDir: string, name: string): Promise<boolean> {
  try {
    await lstat(path.join(commonDir, name))
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
  }
  const packed = await readGitFile(path.join(commonDir, 'packed-refs')).catch((error) =>
    error.code === 'ENOENT' ? '' : null,
  )
  return packed !== null && !packed.includes(` ${name}\n`)
}

/** Git refuses to work in another user's repository (`safe.directory`), and reports why. */
const isOurs = ({ uid }: Stats): boolean =>
  process.geteuid === undefined || uid === process.geteuid()

async function pointedTo(gitFile: string): Promise<string> {
  const [, target] = /^gitdir: (.+?)[\r\n]*$/s.exec(await readGitFile(gitFile)) ?? []
  if (target === undefined) throw new Error(`${gitFile} names no folder`)
  return target
}

async function commonDirIn(gitDir: string): Promise<string> {
  const text = await readGitFile(path.join(gitDir, 'commondir')).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? gitDir : path.resolve(gitDir, text.replace(/[\r\n]+$/, ''))
}

/** Null: neither a branch nor a commit. */
async function headIn(
  gitDir: string,
  commonDir: string,
): Promise<Pick<GitDir, 'branch' | 'commit'> | null> {
  const file = path.join(gitDir, 'HEAD')
  if (!(await lstat(file)).isFile()) return null
  const text = await readGitFile(file)
  const detached = commitIn(text)
  if (detached !== null) return { branch: null, commit: detached }
  const [, branch] = /^ref: refs\/heads\/(\S+)\n$/.exec(text) ?? []
  // Where references are kept in another format, HEAD contains an invalid one.
  if (branch === undefined || branch === '.invalid') return null
  const loose = await readGitFile(path.join(commonDir, 'refs', 'heads', branch)).catch(() => '')
  // A branch can be a symbolic reference to another one.
  return loose.startsWith('ref:') ? null : { branch, commit: commitIn(loose) }
}

const commitIn = (text: string): string | null =>
  /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text)?.[1] ?? null
