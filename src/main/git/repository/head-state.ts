/** Finds the root of a working tree and the commit of its HEAD. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { GitError, WorktreeBrokenError } from '../command/errors.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { head, treeOf, type Where } from './commits.ts'
import { readGitDir } from './git-dir.ts'
import { nearestRepository } from './nearest-repository.ts'

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

interface HeadState {
  topLevel: string
  /** The commit of HEAD and its tree; null before the first one. */
  head: { commit: string; tree: string } | null
}

/** Returns the results of `topLevelOf`, `head` and `treeOf` with one Git process. */
export async function headStateOf(
  git: RunGit,
  dir: string,
  { signal }: Where = {},
): Promise<HeadState> {
  await git.ensureWorktree(dir)
  const own = readGitDir(dir)
  const known = headStates.get(git)?.get(dir)
  if (
    known &&
    own?.commit === known.headState.head.commit &&
    (await git.configStamp(dir)) === known.stamp
  ) {
    await refuseElsewhere(git, dir, known.headState.topLevel)
    return known.headState
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
  const headState = { topLevel, head: { commit, tree } }
  if (own?.commit === commit) await cacheHeadState(git, dir, headState)
  return headState
}

interface CachedHeadState {
  /** A checksum of the configuration, which could place the files elsewhere. */
  stamp: string
  headState: HeadState & { head: NonNullable<HeadState['head']> }
}

/**
 * A cache by folder. Each turn of an agent needs this, and HEAD rarely moves: the commit is read from Git's files,
 * and the tree of a commit never changes.
 */
const headStates = new WeakMap<RunGit, Map<string, CachedHeadState>>()
/** More folders than there are active worktrees and projects. */
const headStatesMax = 500

async function cacheHeadState(
  git: RunGit,
  dir: string,
  headState: CachedHeadState['headState'],
): Promise<void> {
  const stamp = await git.configStamp(dir)
  if (stamp === null) return
  const known = headStates.get(git) ?? new Map<string, CachedHeadState>()
  headStates.set(git, known)
  if (known.size >= headStatesMax) known.clear()
  known.set(dir, { stamp, headState })
}

async function refuseElsewhere(git: RunGit, dir: string, topLevel: string): Promise<void> {
  const root = await git.worktreeRootOf(dir)
  if (root !== null && topLevel !== (await realpath(root)))
    throw new WorktreeBrokenError(root, `${topLevel} in it was made a repository of its own`)
  const nearest = nearestRepository(await realpath(dir))
  // Git resolves links as the system does, and Windows has several spellings of one folder. The folder may be missing.
  if (nearest === null || (await realpath(topLevel).catch(() => null)) !== nearest)
    throw filesElsewhere(dir, topLevel)
}

export function filesElsewhere(dir: string, place: string): GitError {
  const error = new GitError(['rev-parse', '--show-toplevel'], null, 'fatal: core.worktree')
  error.message = `The repository of ${dir} is configured to keep its files in ${place} (core.worktree), so Shiplog does not use it. Unset that first: \`git -C "${dir}" config --unset core.worktree\`.`
  return error
}
