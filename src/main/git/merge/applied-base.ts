import { changedTreePaths } from '../changes/tree-changes.ts'
import type { RunGit } from '../command/run-git.ts'
import { findTree } from '../repository/commits.ts'

/** The state of another task whose changes were applied to the target. Both are trees. */
export interface AppliedState {
  /** What the changes to merge have in common with the applied ones. */
  shared: string
  /** The applied changes' final state. */
  applied: string
}

interface Trees {
  dir: string
  base: string
  ours: string
  states: readonly AppliedState[]
  signal?: AbortSignal | undefined
}

/**
 * Returns the base of a three-way merge: the shared tree of the first applied state that the target has, else `base`.
 * The target does not have it (another branch, or the changes were discarded) if one of its files is there as in `base`.
 */
export async function baseOfMerge(
  git: RunGit,
  { dir, base, ours, states, signal }: Trees,
): Promise<string> {
  if (states.length === 0) return base
  const changedFromBase = (to: string) => changedTreePaths(git, { dir, from: base, to, signal })
  const inTarget = new Set(await changedFromBase(ours))
  for (const { shared, applied } of states) {
    const found = await Promise.all([shared, applied].map((tree) => findTree(git, dir, tree)))
    if (found.includes(null)) continue
    if ((await changedFromBase(applied)).every((path) => inTarget.has(path))) return shared
  }
  return base
}
