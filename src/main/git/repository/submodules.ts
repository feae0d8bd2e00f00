/**
 * Finds submodules that an agent has checked out in its worktree. No patch contains the work in
 * them.
 */
import { readdir, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import {
  fields,
  type GitRunOptions,
  line,
  notIntoSubmodules,
  type RunGit,
} from '../command/run-git.ts'
import { exists } from './file-facts.ts'

interface SubmoduleWithWork {
  /** Relative to the working tree's root. */
  path: string
  /**
   * Git's own folder for it, absolute, which is deleted with the worktree. Null if it does not
   * exist, or is elsewhere because a link in place of the submodule leads to another repository,
   * which must not be moved.
   */
  gitDir: string | null
}

/**
 * Returns submodules with uncommitted changes, with commits that no remote has, or whose state
 * can't be read. `topLevel` is the worktree's root.
 */
export async function submodulesWithWork(
  git: RunGit,
  topLevel: string,
): Promise<SubmoduleWithWork[]> {
  const { stdout } = await git(['ls-files', '--stage', '-z'], { cwd: topLevel })
  const links = fields(stdout).flatMap((entry) => /^160000 .*\t(.*)$/s.exec(entry)?.[1] ?? [])
  if (links.length === 0) return []
  const ownDir = await gitDirOf(git, topLevel)
  const found: SubmoduleWithWork[] = []
  for (const link of links) {
    const dir = path.join(topLevel, link)
    if (!exists(path.join(dir, '.git'))) continue
    try {
      if (!(await hasWork(git, dir))) continue
      const gitDir = await gitDirOf(git, dir)
      const goesWithIt = [path.join(ownDir, 'modules'), path.join(await realpath(topLevel), link)]
      const isOwn = goesWithIt.some((place) => gitDir.startsWith(place + path.sep))
      found.push({ path: link, gitDir: isOwn ? gitDir : null })
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      found.push({ path: link, gitDir: null })
    }
  }
  return found
}

/**
 * Returns the Git folders of submodules that are no longer checked out or no longer in the index, if they hold
 * commits that no remote has, or staged content: Git deletes them with the worktree. `path` is the submodule's name.
 */
export async function closedSubmodulesWithWork(
  git: RunGit,
  topLevel: string,
): Promise<{ path: string; gitDir: string }[]> {
  return submodulesWithWorkIn(git, { cwd: topLevel, gitDir: await gitDirOf(git, topLevel) })
}

/** Like `closedSubmodulesWithWork`, also for a worktree that is gone: `gitDir` is Git's own folder for it. */
export async function submodulesWithWorkIn(
  git: RunGit,
  { cwd, gitDir: ownDir }: { cwd: string; gitDir: string },
): Promise<{ path: string; gitDir: string }[]> {
  const modules = path.join(ownDir, 'modules')
  const found: { path: string; gitDir: string }[] = []
  await visit('')
  return found

  async function visit(below: string): Promise<void> {
    for (const entry of await readdir(path.join(modules, below), { withFileTypes: true }).catch(
      () => [],
    )) {
      if (!entry.isDirectory()) continue
      const name = path.join(below, entry.name)
      const gitDir = path.join(modules, name)
      if (!exists(path.join(gitDir, 'HEAD'))) await visit(name)
      else if (await holdsWork(gitDir)) found.push({ path: name, gitDir })
      else await visit(path.join(name, 'modules'))
    }
  }

  /** True as well if that can't be determined. */
  async function holdsWork(gitDir: string): Promise<boolean> {
    // The folder of its files, which its configuration names, may be gone.
    const env = { GIT_DIR: gitDir, GIT_WORK_TREE: gitDir }
    try {
      if (await holdsUnpushed(git, gitDir, { cwd, env })) return true
      const staged = ['diff-index', '--cached', '--quiet', ...notIntoSubmodules, 'HEAD', '--']
      return (await git(staged, { cwd, env, okExitCodes: [0, 1] })).exitCode === 1
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return true
    }
  }
}

async function holdsUnpushed(git: RunGit, gitDir: string, run: GitRunOptions): Promise<boolean> {
  if ((await git(unpushed, run)).stdout.length > 0) return true
  const tags = (await looseTags(path.join(gitDir, 'refs', 'tags'))).slice(0, tagsMax)
  if (tags.length === 0) return false
  const named = tags.map((name) => `refs/tags/${name}`)
  const args = ['rev-list', '--max-count=1', ...named, '--not', '--remotes', '--']
  return (await git(args, run)).stdout.length > 0
}

/**
 * Returns the tags that were made or fetched since the clone, which packs all of the remote's. Those may be on no branch,
 * so they are no work.
 */
async function looseTags(dir: string, below = ''): Promise<string[]> {
  const entries = await readdir(path.join(dir, below), { withFileTypes: true }).catch(() => [])
  const found = entries.map(async (entry) => {
    const name = `${below}${entry.name}`
    if (entry.isDirectory()) return looseTags(dir, `${name}/`)
    return entry.name.endsWith('.lock') ? [] : [name]
  })
  return (await Promise.all(found)).flat()
}

/** As arguments of one command. */
const tagsMax = 200

/**
 * Tags are looked at separately. Reflogs count, because a commit of the worktree may refer to one that an agent made
 * without a branch, which is the usual state in a submodule, before it checked another one out.
 */
const unpushed = [
  'rev-list',
  '--max-count=1',
  'HEAD',
  '--reflog',
  '--exclude=refs/tags/*',
  '--exclude=refs/remotes/*',
  '--all',
  '--not',
  '--remotes',
]

const gitDirOf = async (git: RunGit, dir: string): Promise<string> =>
  realpath(line(await git(['rev-parse', '--absolute-git-dir'], { cwd: dir })))

/** Makes a submodule a separate repository again, after both of its folders were moved. */
export async function joinSubmodule(
  git: RunGit,
  { dir, gitDir }: { dir: string; gitDir: string },
): Promise<void> {
  const own = path.join(dir, '.git')
  // The file refers to the former place of `gitDir`.
  await rm(own, { force: true })
  await rename(gitDir, own)
  await releaseSubmodule(git, { cwd: path.dirname(dir), gitDir: own })
}

/**
 * Lets Git look for the files of a submodule beside its Git folder, and no longer in their former place. `cwd` is outside
 * of it, because Git would look for that place.
 */
export async function releaseSubmodule(
  git: RunGit,
  { cwd, gitDir }: { cwd: string; gitDir: string },
): Promise<void> {
  const file = path.join(gitDir, 'config')
  const args = ['config', '--file', file, '--unset-all', 'core.worktree']
  await git(args, { cwd, okExitCodes: [0, 5] })
}

async function hasWork(git: RunGit, dir: string): Promise<boolean> {
  const args = ['status', '--porcelain', '--untracked-files=all', ...notIntoSubmodules]
  if ((await git(args, { cwd: dir })).stdout.length > 0) return true
  // With a separate `git` for each, so that its configuration is guarded too.
  if ((await submodulesWithWork(git, dir)).length > 0) return true
  return holdsUnpushed(git, await gitDirOf(git, dir), { cwd: dir })
}
