/** Git operations for restoring a task's directory, besides recreating its worktree. */
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { mergeTrees } from '../merge/merge-trees.ts'
import { head as headOf, isClean, resolveCommit, treeOf } from '../repository/commits.ts'
import { exists } from '../repository/file-facts.ts'
import { keepSnapshot } from '../snapshots/kept-snapshots.ts'
import { retryIfPruned, withQuarantine } from '../snapshots/quarantine.ts'
import { commitTree, snapshotMessage } from '../snapshots/snapshot.ts'

type Rebased = { kind: 'rebased'; commit: string } | { kind: 'conflict'; paths: string[] }

/**
 * Creates a commit with the uncommitted work on top of the branch's present commit: a three-way
 * merge in the object database only. `head` is the branch's former commit, `final` one that holds
 * everything.
 */
export async function rebaseSnapshot(
  git: RunGit,
  { repoDir, head, final, onto }: { repoDir: string; head: string; final: string; onto: string },
): Promise<Rebased> {
  const attempt = () =>
    withQuarantine(git, repoDir, async (quarantine): Promise<Rebased> => {
      const isolated = quarantine.git
      const [base, ours, theirs] = await Promise.all(
        [head, onto, final].map((commit) => treeOf(isolated, repoDir, commit)),
      )
      if (base === undefined || ours === undefined || theirs === undefined)
        throw new Error('git rev-parse did not print three trees')
      const merged = await mergeTrees(isolated, { dir: repoDir, base, ours, theirs })
      if (merged.kind === 'conflict') return { kind: 'conflict', paths: merged.paths }
      if (merged.tree === ours) return { kind: 'rebased', commit: onto }
      const { tree } = merged
      const parts = { tree, parents: [onto], message: snapshotMessage }
      const commit = await commitTree(isolated, repoDir, parts)
      await keepSnapshot(git, quarantine, { dir: repoDir, commit, tree, since: onto })
      return { kind: 'rebased', commit }
    })
  return retryIfPruned(attempt)
}

/** Files that Git keeps while an operation is unfinished. */
const underWay = ['rebase-merge', 'rebase-apply', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

/**
 * Checks a branch out if nothing can be lost: there is no uncommitted work and no unfinished
 * operation, and the present commit is on a branch. Returns false, without a change, otherwise.
 */
export async function switchBranch(
  git: RunGit,
  { dir, branch }: { dir: string; branch: string },
): Promise<boolean> {
  if ((await resolveCommit(git, dir, `refs/heads/${branch}`)) === null) return false
  if (!(await isClean(git, dir))) return false
  const head = await headOf(git, dir)
  if (head === null || !(await isOnBranch(git, dir, head))) return false
  for (const name of underWay) {
    const place = line(await git(['rev-parse', '--git-path', name], { cwd: dir }))
    if (exists(path.resolve(dir, place))) return false
  }
  try {
    // Ignored files may still be the user's work.
    const args = ['checkout', '--quiet', '--no-guess', '--no-overwrite-ignore', branch, '--']
    await git(args, { cwd: dir, checksOut: { from: head, to: `refs/heads/${branch}` } })
    return true
  } catch (error) {
    if (error instanceof GitError) return false
    throw error
  }
}

async function isOnBranch(git: RunGit, dir: string, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads/']
  return line(await git(args, { cwd: dir })) !== ''
}
