import { changedTreePaths } from '../changes/tree-changes.ts'
import type { RunGit } from '../command/run-git.ts'
import { findTree } from '../repository/commits.ts'

interface Trees {
  dir: string
  base: string
  ours: string
  /** A tree between `base` and the final state whose changes may be in `ours`; null if there is none. */
  applied: string | null
  signal?: AbortSignal | undefined
}

/**
 * Returns the base of a three-way merge: `applied` if the target has its changes, else `base`. The target does not have
 * them (another branch, or they were discarded) if one of their files is there as it was before.
 */
export async function baseOfMerge(
  git: RunGit,
  { dir, base, ours, applied, signal }: Trees,
): Promise<string> {
  if (applied === null || (await findTree(git, dir, applied)) === null) return base
  const changed = await changedTreePaths(git, { dir, from: base, to: applied, signal })
  const inTarget = new Set(await changedTreePaths(git, { dir, from: base, to: ours, signal }))
  return changed.every((path) => inTarget.has(path)) ? applied : base
}
