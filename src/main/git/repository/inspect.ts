/** Classifies a folder for Git, and reads the state of a repository. */

import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { GitError, WorktreeBrokenError } from '../command/errors.ts'
import { line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { lacksReference, readGitDir } from './git-dir.ts'
import { nearestRepository } from './nearest-repository.ts'

type ProjectInspection =
  | {
      kind: 'repository'
      /** The working tree's root; `dir` may be a folder inside it. Absolute, links resolved. */
      topLevel: string
      /** Null: HEAD is detached. */
      branch: string | null
      head: string
    }
  /** A repository without a commit: no worktree can be created from it. */
  | { kind: 'no-commits'; topLevel: string; branch: string | null }
  /** A folder without Git (the inside of a `.git` folder counts as one): agents work in place. */
  | { kind: 'not-a-repository' }
  | { kind: 'bare' }
  /** Git refuses a folder that belongs to another user. `advice` is Git's own, with the command to run. */
  | { kind: 'dubious-ownership'; advice: string }
  | { kind: 'not-a-directory' }
  | { kind: 'missing' }

interface Where {
  signal?: AbortSignal | undefined
}

/** Throws GitMissingError, and GitError for a repository that Git can't read. */
export async function inspectProject(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<ProjectInspection> {
  const found = await stat(dir).catch(() => null)
  if (found === null) return { kind: 'missing' }
  if (!found.isDirectory()) return { kind: 'not-a-directory' }
  try {
    // Most projects need only one Git process.
    const own = readGitDir(dir)
    const standing = own && (await standingOf(git, dir, { signal }).catch(nullForGitError))
    if (own && standing?.head) {
      const { topLevel, head } = standing
      return { kind: 'repository', topLevel, branch: own.branch, head: head.commit }
    }
    const asked = ['--is-bare-repository', '--is-inside-work-tree', '--is-inside-git-dir']
    const told = line(await git(['rev-parse', ...asked], { cwd: dir, signal })).split('\n')
    const [isBare, isInWorkTree, isInGitDir] = told.map((answer) => answer === 'true')
    if (!isInWorkTree) {
      if (isBare) return { kind: 'bare' }
      if (isInGitDir) return { kind: 'not-a-repository' }
      throw filesElsewhere(dir, 'another folder')
    }
    const topLevel = await topLevelOf(git, dir, { signal })
    const branch = await currentBranch(git, dir, { signal })
    const commit = await head(git, dir, { signal })
    if (commit === null) return { kind: 'no-commits', topLevel, branch }
    return { kind: 'repository', topLevel, branch, head: commit }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (error.stderr.includes('detected dubious ownership')) {
      return { kind: 'dubious-ownership', advice: error.stderr.trim() }
    }
    if (error.stderr.includes('not a git repository')) return { kind: 'not-a-repository' }
    if (isBareRefusal(error)) {
      const inside = path.resolve(dir).split(path.sep).includes('.git')
      return { kind: inside ? 'not-a-repository' : 'bare' }
    }
    throw error
  }
}

function nullForGitError(error: unknown): null {
  if (error instanceof GitError) return null
  throw error
}

/** With `settings`, Git 2.38 and newer refuses a folder that only looks like a repository. */
const isBareRefusal = (error: GitError): boolean => error.stderr.includes('safe.bareRepository')

/**
 * Returns the root of the working tree that contains `dir`. Throws GitError if the repository's
 * configuration places its files elsewhere, and WorktreeBrokenError in a worktree of Shiplog's that
 * has become a repository of its own.
 */
export async function topLevelOf(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<string> {
  const args = ['rev-parse', '--show-toplevel']
  const topLevel = path.resolve(line(await git(args, { cwd: dir, signal })))
  await refuseElsewhere(git, dir, topLevel)
  return topLevel
}

interface Standing {
  topLevel: string
  /** The commit of HEAD and its tree; null before the first one. */
  head: { commit: string; tree: string } | null
}

/** Returns the results of `topLevelOf`, `head` and `treeOf` with one Git process. */
export async function standingOf(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<Standing> {
  await git.ensureWorktree(dir)
  const own = readGitDir(dir)
  const known = standings.get(git)?.get(dir)
  if (
    known &&
    own?.commit === known.standing.head.commit &&
    (await git.configStamp(dir)) === known.stamp
  ) {
    await refuseElsewhere(git, dir, known.standing.topLevel)
    return known.standing
  }
  const args = ['rev-parse', '--show-toplevel', '--revs-only', 'HEAD^{commit}', 'HEAD^{tree}']
  const text = line(await git(args, { cwd: dir, signal }))
  // A folder's name may contain a newline.
  const answers = /^(.*)\n([0-9a-f]{40,64})\n([0-9a-f]{40,64})$/s.exec(text)
  if (answers === null) {
    const topLevel = await topLevelOf(git, dir, { signal })
    const commit = await head(git, dir, { signal })
    const tree = commit && (await treeOf(git, dir, commit, { signal }))
    return { topLevel, head: commit && tree ? { commit, tree } : null }
  }
  const [, place = '', commit = '', tree = ''] = answers
  const topLevel = path.resolve(place)
  await refuseElsewhere(git, dir, topLevel)
  const standing = { topLevel, head: { commit, tree } }
  if (own?.commit === commit) await rememberStanding(git, dir, standing)
  return standing
}

interface KnownStanding {
  /** A checksum of the configuration, which could place the files elsewhere. */
  stamp: string
  standing: Standing & { head: NonNullable<Standing['head']> }
}

/**
 * A cache by folder. Each turn of an agent needs this, and HEAD rarely moves: the commit is read from Git's files,
 * and the tree of a commit never changes.
 */
const standings = new WeakMap<RunGit, Map<string, KnownStanding>>()
/** More folders than there are active worktrees and projects. */
const standingsMax = 500

async function rememberStanding(
  git: RunGit,
  dir: string,
  standing: KnownStanding['standing'],
): Promise<void> {
  const stamp = await git.configStamp(dir)
  if (stamp === null) return
  const known = standings.get(git) ?? new Map<string, KnownStanding>()
  standings.set(git, known)
  if (known.size >= standingsMax) known.clear()
  known.set(dir, { stamp, standing })
}

async function refuseElsewhere(git: RunGit, dir: string, topLevel: string): Promise<void> {
  const root = await git.worktreeRootOf(dir)
  if (root !== null && topLevel !== (await realpath(root)))
    throw new WorktreeBrokenError(root, `${topLevel} in it was made a repository of its own`)
  const nearest = nearestRepository(await realpath(dir))
  // Git resolves links as the system does, and Windows has several spellings of one folder.
  if (nearest === null || (await realpath(topLevel)) !== nearest)
    throw filesElsewhere(dir, topLevel)
}

function filesElsewhere(dir: string, place: string): GitError {
  const error = new GitError(['rev-parse', '--show-toplevel'], null, 'fatal: core.worktree')
  error.message = `By its configuration (core.worktree), the files of the repository of ${dir} are in ${place}, so Shiplog does not use it. Unset core.worktree there first.`
  return error
}

/**
 * Returns the `.git` folder that all worktrees of a repository share. Null if there is no
 * repository.
 */
export async function commonDirOf(
  git: RunGit,
  repoDir: string,
  { signal }: Where = {},
): Promise<string | null> {
  const there = await stat(repoDir).catch(() => null)
  if (there === null) return null
  await git.ensureWorktree(repoDir)
  const found = readGitDir(repoDir)
  if (found !== null) return realpath(found.commonDir)
  try {
    const answer = await git(['rev-parse', '--git-common-dir'], { cwd: repoDir, signal })
    return await realpath(path.resolve(repoDir, line(answer)))
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (error.stderr.includes('not a git repository') || isBareRefusal(error)) return null
    throw error
  }
}

/** Returns false if Git would find no repository, which saves a Git process. */
export async function isInRepository(git: RunGit, dir: string): Promise<boolean> {
  await git.ensureWorktree(dir)
  return nearestRepository(await realpath(dir)) !== null
}

/** Returns the commit of HEAD; null before the first one. */
export async function head(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<string | null> {
  return resolveCommit(git, dir, 'HEAD', { signal })
}

/** Returns the full id of a commit; null if there is no such commit. */
export async function resolveCommit(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string | null> {
  if (name.startsWith('refs/')) {
    await git.ensureWorktree(dir)
    if (lacksReference(dir, name)) return null
  }
  const result = await git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    { cwd: dir, signal, okExitCodes: [0, 1, 128] },
  )
  // Git exits with 128 for an invalid name too; an error of the repository itself must not be mistaken for one.
  if (result.exitCode === 128 && result.stderr.includes('repository')) {
    throw new GitError(['rev-parse', name], result.exitCode, result.stderr)
  }
  return result.exitCode === 0 ? line(result) : null
}

/** Returns the tree of a commit, or of a tree. */
export async function treeOf(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`]
  return line(await git(args, { cwd: dir, signal }))
}

/** Returns the tree of a commit; null if there is no such commit. One Git process if there is. */
export async function treeOfCommit(
  git: RunGit,
  dir: string,
  name: string,
  { signal }: Where = {},
): Promise<string | null> {
  try {
    return await treeOf(git, dir, `${name}^{commit}`, { signal })
  } catch (error) {
    if ((await resolveCommit(git, dir, name, { signal })) === null) return null
    throw error
  }
}

/** Returns the checked-out branch without `refs/heads/`; null if HEAD is detached. */
export async function currentBranch(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<string | null> {
  await git.ensureWorktree(dir)
  const found = readGitDir(dir)
  if (found !== null) return found.branch
  const result = await git(['symbolic-ref', '--quiet', 'HEAD'], {
    cwd: dir,
    signal,
    okExitCodes: [0, 1],
  })
  if (result.exitCode === 1) return null
  return line(result).replace(/^refs\/heads\//, '')
}

/**
 * Reports whether nothing is staged, changed or untracked. Ignored files and the content of
 * submodules do not count.
 */
export async function isClean(git: RunGit, dir: string, { signal }: Where = {}): Promise<boolean> {
  const result = await git(
    [
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=normal',
      '--no-renames',
      ...notIntoSubmodules,
    ],
    // Any output means that it is not clean.
    { cwd: dir, signal, stdoutBytesMax: 1, cut: true },
  )
  return result.stdout.length === 0
}

const versions = new WeakMap<RunGit, Promise<[number, number]>>()

/** Returns `[2, 39]` for `git version 2.39.5 (Apple Git-154)`. Read once. */
export function version(git: RunGit): Promise<[number, number]> {
  const known = versions.get(git) ?? readVersion(git)
  versions.set(git, known)
  known.catch(() => versions.delete(git))
  return known
}

async function readVersion(git: RunGit): Promise<[number, number]> {
  // The directory that this process was started in may be gone, or closed to its user.
  const anyDir = path.parse(process.execPath).root
  const text = line(await git(['--version'], { cwd: anyDir }))
  const found = /(\d+)\.(\d+)/.exec(text)
  return [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)]
}

/** Returns the fetch and push addresses in the configuration, by the name of the remote. */
export async function remoteUrls(
  git: RunGit,
  dir: string,
): Promise<{ name: string; url: string }[]> {
  // Checking a few folders saves a process at every start in a project without Git.
  if (nearestRepository(path.resolve(dir)) === null) return []
  await git.ensureWorktree(dir)
  try {
    return (await git.readConfig(dir)).remotes
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

/** The folder of this working tree alone, and the one that all worktrees share. Real paths; null outside a repository. */
export async function gitDirsOf(
  git: RunGit,
  dir: string,
): Promise<{ gitDir: string; commonDir: string } | null> {
  const commonDir = await commonDirOf(git, dir)
  if (commonDir === null) return null
  const found = readGitDir(dir)
  const gitDir =
    found?.gitDir ?? path.resolve(dir, line(await git(['rev-parse', '--git-dir'], { cwd: dir })))
  return { gitDir: await realpath(gitDir), commonDir }
}
