/** Files outside a sparse checkout, which Git writes only on request. */
import path from 'node:path'
import { diffTree } from '../changes/tree-changes.ts'
import type { RunGit } from '../command/run-git.ts'
import { exists } from '../repository/file-facts.ts'
import { privateFile } from '../repository/private-files.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'

/** Reports whether the working tree has sparse patterns: `git worktree add` copies those of the repository. */
export async function isSparse(git: RunGit, dir: string): Promise<boolean> {
  return exists(await privateFile(git, dir, 'info/sparse-checkout'))
}

/**
 * Writes the files that `to` adds to `from` or changes in it, if `dir` is the root of a sparse
 * checkout: uncommitted work may be anywhere, and a missing file would look deleted. Its index is
 * not changed.
 */
export async function writeOutsideSparseCheckout(
  git: RunGit,
  input: { dir: string; from: string; to: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { dir, from, to, signal } = input
  if (from === to || !(await isSparse(git, dir))) return
  const which = ['--no-renames', '--name-only', '--diff-filter=d', '-z']
  // Bytes, not text: a name need not be UTF-8.
  const { stdout: names } = await git([...diffTree, ...which, from, to], { cwd: dir, signal })
  if (names.length === 0) return
  await withScratchDir(git, async (scratchDir) => {
    // A fresh index marks no file as outside the sparse checkout.
    const env = { GIT_INDEX_FILE: path.join(scratchDir, 'index') }
    await git(['read-tree', to], { cwd: dir, env, signal })
    const checkout = ['checkout-index', '--force', '--quiet', '-z', '--stdin']
    await git(checkout, { cwd: dir, env, input: names, signal, checksOut: { from, to } })
  })
}
