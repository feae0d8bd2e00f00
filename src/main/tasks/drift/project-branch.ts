/** Finds commits on the project's branch that changed files of a sub-agent, whose root started from that branch. */
import type { DriftConflict } from '../../../shared/records/drift.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Trail } from '../../runs/session-history.ts'
import { committersOf, neighboursIn } from './attribution.ts'
import { blobsOf, bothNames, touches } from './directory.ts'
import { type Origin, pathsBetween } from './origin.ts'

/**
 * Returns the files of this agent that others committed since its root began, and that differ from its own base.
 * Contents that equal the agent's own in `ownTree`, its last state, were applied from it and do not count.
 */
export async function projectBranchConflicts(
  deps: Parameters<typeof neighboursIn>[0],
  task: Task,
  workspace: Workspace & { baseCommit: string },
  { origin, trail, ownTree }: { origin: Origin; trail: Trail; ownTree: string | null },
): Promise<DriftConflict[]> {
  const { git, state } = deps
  const { projectDir: dir } = task
  const root = state.tasks.get(task.rootId)?.workspace
  const branch = root?.isolation === 'worktree' ? root.baseBranch : root?.branch
  // `originConflicts` covers the other cases.
  if (task.parentId === null || !root?.baseCommit || !branch || branch === origin.branch) return []
  const from = await git.committedBase({ dir, commit: root.baseCommit })
  const tip = await git.resolveCommit(dir, `refs/heads/${branch}`)
  if (from === null || tip === null || from === tip) return []
  const found = (await git.treeDifferences({ dir, from, to: tip })).filter((difference) =>
    touches(trail, difference),
  )
  if (found.length === 0) return []
  const differsFromBase = await pathsBetween(git, { dir, from: workspace.baseCommit, to: tip })
  const fromOwn = ownTree && (await pathsBetween(git, { dir, from: ownTree, to: tip }))
  const differing = found.filter((difference) =>
    bothNames(difference).some(
      (name) => differsFromBase.has(name) && (!fromOwn || fromOwn.has(name)),
    ),
  )
  if (differing.length === 0) return []

  const paths = differing.flatMap(bothNames)
  const neighbours = await neighboursIn(deps, task, dir)
  const committers = await committersOf(deps, task, { dir, from, to: tip, paths, neighbours })
  return differing.flatMap((difference): DriftConflict[] => {
    const changedBy = bothNames(difference)
      .map((name) => committers.get(name))
      .find((by) => by !== undefined)
    // Null: its own commit, merged there.
    if (!changedBy) return []
    const { change, path, oldPath } = difference
    return [{ path, oldPath, change, changedBy, ...blobsOf(difference) }]
  })
}
