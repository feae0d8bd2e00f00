/** Classifies a folder for Git. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { GitError, nullForGitError } from '../command/errors.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { currentBranch, head, type Where } from './commits.ts'
import { isBareRefusal } from './common-dir.ts'
import { readGitDir } from './git-dir.ts'
import { filesElsewhere, headStateOf, topLevelOf } from './head-state.ts'

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

/** Classifies the folder `dir`. Throws GitMissingError, and GitError for a repository that Git can't read. */
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
    const headState = own && (await headStateOf(git, dir, { signal }).catch(nullForGitError))
    if (own && headState?.head) {
      const { topLevel, head } = headState
      return { kind: 'repository', topLevel, branch: own.branch, head: head.commit }
    }
    const asked = ['--is-bare-repository', '--is-inside-work-tree', '--is-inside-git-dir']
    const answers = line(await git(['rev-parse', ...asked], { cwd: dir, signal })).split('\n')
    const [isBare, isInWorkTree, isInGitDir] = answers.map((answer) => answer === 'true')
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
