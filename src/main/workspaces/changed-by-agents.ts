/**
 * Finds the files of a worktree that may be an agent's work, to decide whether a set-up that the
 * user allowed is unchanged.
 */
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { Git } from '../git/index.ts'

/**
 * Returns files below the worktree's `root` that the user did not have: they differ both from the
 * project's present commit and, unless the tree continues another one, from the root's base commit.
 * With neither commit to compare with, every file counts, because no file is known to be the
 * user's.
 */
export async function changedByAgents(
  { state, git }: { state: LedgerState; git: Git },
  task: Pick<Task, 'rootId' | 'projectDir'>,
  root: string,
): Promise<string[]> {
  const rootTask = state.tasks.get(task.rootId)
  const references = [
    await git.head(task.projectDir).catch(() => null),
    rootTask?.resumedFrom ? null : (rootTask?.workspace?.baseCommit ?? null),
  ].filter((commit) => commit !== null)
  if (references.length === 0) {
    const files = await git.listFiles(root, {})
    if (!files) throw new Error(`Git can't list the files of ${root}`)
    return files
  }
  const { tree } = await git.snapshot(root)
  const differing = await Promise.all(
    references.map(async (from) => {
      const differences = await git.treeDifferences({ dir: root, from, to: tree })
      return differences.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path]))
    }),
  )
  const [first = [], ...others] = differing.map((paths) => new Set(paths))
  return [...first].filter((path) => others.every((paths) => paths.has(path)))
}
