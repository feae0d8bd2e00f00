/**
 * Lists the changes between two commits, to show the user what happened while an agent did not run.
 */
import { posix } from 'node:path'
import { prefixOf } from '../changes/tree-changes.ts'
import { nullForGitError } from '../command/errors.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { finalMessage, shiplogIdentity, snapshotMessage } from '../snapshots/snapshot.ts'
import { resolveCommit } from './commits.ts'
import { commonDirOf } from './common-dir.ts'

interface Span {
  dir: string
  /** Commits. Ancestors of `from` are excluded. */
  from: string
  to: string
}

export interface CommitSummary {
  id: string
  author: string
  /** Whether the author is Shiplog's default: an agent's commit without a configured identity. */
  isShiplogs: boolean
  /** Relative to the requested folder. Empty for a merge. */
  paths: string[]
}

/** Only the newest commits are shown, so that a year of a busy project stays a small answer. */
const commitsMax = 1000
/** Longer lists exceed the command line on some systems. */
const namedPathsMax = 200

/**
 * Counts the commits from one to the other; null if `to` does not descend from `from`, or one is
 * missing.
 */
export async function countCommits(git: RunGit, { dir, from, to }: Span): Promise<number | null> {
  const isAncestor = await git(['merge-base', '--is-ancestor', from, to], {
    cwd: dir,
    okExitCodes: [0, 1, 128],
  })
  if (isAncestor.exitCode !== 0) return null
  return Number(line(await git(['rev-list', '--count', `${from}..${to}`], { cwd: dir })))
}

/**
 * Returns the commits, newest first, up to `commitsMax`; only those that touch one of `paths`
 * (relative to `dir`), if these are few.
 */
export async function commitsBetween(
  git: RunGit,
  { dir, from, to, paths }: Span & { paths: readonly string[] },
): Promise<CommitSummary[]> {
  const prefix = await prefixOf(git, dir)
  const only = paths.length <= namedPathsMax ? ['--', ...paths] : ['--']
  const args = ['log', `-n${commitsMax}`, '-z', '--format=%x01%H%x00%an%x00%ae', '--name-only']
  const { stdout } = await git(
    [...args, '--no-renames', '--no-ext-diff', '--no-relative', `${from}..${to}`, ...only],
    { cwd: dir, cut: true },
  )
  const commits: CommitSummary[] = []
  const parts = fields(stdout)
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    if (part.startsWith('\u0001')) {
      const [author = '', email = ''] = [parts[at + 1], parts[at + 2]?.trimEnd()]
      const isShiplogs = email === shiplogIdentity.GIT_AUTHOR_EMAIL
      commits.push({ id: part.slice(1), author, isShiplogs, paths: [] })
      at += 2
    } else {
      // The list of names begins on a new line.
      const path = part.replace(/^\n/, '')
      if (path !== '') commits.at(-1)?.paths.push(posix.relative(prefix, path))
    }
  }
  return commits
}

/**
 * Returns the commits on the line of first parents: merges count once, the commits that they merged
 * do not.
 */
export async function firstParentCommits(git: RunGit, { dir, from, to }: Span): Promise<string[]> {
  const args = ['rev-list', '--first-parent', `--max-count=${commitsMax}`, `${from}..${to}`]
  const listed = await git(args, { cwd: dir, okExitCodes: [0, 128] })
  return line(listed).split('\n').filter(Boolean)
}

/**
 * Returns the commit in the user's own history that a worktree was made from: for a commit with
 * uncommitted work (`commitSnapshot`, `savePatch`) its parent, otherwise the commit itself. Null if
 * the repository does not have it.
 */
export async function committedBase(
  git: RunGit,
  { dir, commit }: { dir: string; commit: string },
): Promise<string | null> {
  // Not `git show`, which reads trees (a partial clone may lack them) and settings of submodules.
  const args = ['rev-list', '--no-walk', '--format=%ae%x00%s%x00%P', '--end-of-options']
  const shown = await git([...args, `${commit}^{commit}`], { cwd: dir }).catch(async (error) => {
    if ((await resolveCommit(git, dir, commit)) === null) return null
    throw error
  })
  if (shown === null) return null
  // The first line is `commit` and the id.
  const [, answer = ''] = line(shown).split('\n')
  const [email, subject, parents = ''] = answer.split('\0')
  const isSnapshot =
    email === shiplogIdentity.GIT_AUTHOR_EMAIL &&
    (subject === snapshotMessage || subject === finalMessage) &&
    parents !== ''
  return isSnapshot ? (parents.split(' ')[0] ?? commit) : commit
}

/**
 * Reports whether both folders are in working trees of one repository. A worktree with a broken
 * link is in none.
 */
export async function isSameRepository(git: RunGit, a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all(
    [a, b].map((dir) => commonDirOf(git, dir).catch(nullForGitError)),
  )
  return one !== undefined && one !== null && one === other
}

/** Reports whether the repository still has the tree. */
export async function hasTree(
  git: RunGit,
  { dir, tree }: { dir: string; tree: string },
): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${tree}^{tree}`]
  const result = await git(args, { cwd: dir, okExitCodes: [0, 1, 128] })
  return result.exitCode === 0
}
