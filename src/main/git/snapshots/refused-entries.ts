/**
 * Removes entries of an index that Git would check out nowhere, such as `.git/hooks/x` or `../x`. Git's commands add
 * none, but a program can write them into the file, and Git stores what is there: a commit with one could never be
 * checked out again, and with it all work of the workspace.
 */
import { diffTree } from '../changes/tree-changes.ts'
import { GitError } from '../command/errors.ts'
import { fields, type RunGit } from '../command/run-git.ts'
import type { IndexRun } from './index-updates.ts'

/** `tree` was written from the index; `since` is a tree whose entries were committed. Returns the names that were removed. */
export async function dropRefused(
  git: RunGit,
  run: IndexRun,
  { tree, since }: { tree: string; since: string | null },
): Promise<string[]> {
  if (tree === since) return []
  const args =
    since === null
      ? ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]
      : [...diffTree, '--no-renames', '--name-only', '-z', since, tree]
  // Git stops at a name with an empty part.
  const listed = await git(args, run).catch((error) => {
    if (!(error instanceof GitError)) throw error
    return null
  })
  if (listed !== null && !fields(listed.stdout).some(isSuspect)) return []
  return addAgain(git, run)
}

/** Adds every entry of an index again but those that Git refuses. Returns their names. */
export async function addAgain(git: RunGit, run: IndexRun): Promise<string[]> {
  const { stdout } = await git(['ls-files', '--stage', '-z'], run)
  await git(['read-tree', '--empty'], run)
  // Here Git checks each name, and continues after one that it refuses.
  const said = await git(['update-index', '-z', '--index-info'], { ...run, input: stdout })
  return [...said.stderr.matchAll(/^Ignoring path (.*)$/gm)].map(([, name = '']) => name)
}

/** Characters that macOS ignores in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** True for more names than Git refuses, which depends on its settings. */
const isSuspect = (name: string): boolean =>
  name
    .replace(ignored, '')
    .split(/[/\\]/)
    .some((part) => /^(?:\.{0,2}|\.git(?:[ .:].*)?|git~.*)$/i.test(part))
