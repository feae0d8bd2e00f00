/**
 * Finds changes at a worktree's origin: on the branch that it started from, and in the folder that
 * has it checked out.
 */

import { ancestorsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import {
  type ChangeMaker,
  type DriftConflict,
  type DriftReport,
  thePerson,
} from '../../../shared/records/drift.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git, TreeDifference } from '../../git/index.ts'
import type { Trail } from '../../runs/session-history.ts'
import { committersOf, neighboursIn } from './attribution.ts'
import { modifiedAt } from './crash-attribution.ts'
import { blobsOf, bothNames, firstKnown, touches } from './directory.ts'
import { hasDirectory, type PresenceDependencies } from './presence.ts'

type Deps = Parameters<typeof neighboursIn>[0]

export interface Origin {
  /** The parent's folder, or the nearest ancestor's that is left, or the project's. */
  dir: string
  /** Null: it was deleted, or HEAD was detached there. */
  branch: string | null
  /** The present commit of that branch. */
  tip: string
  /** True when `dir` has that branch checked out. */
  checkedOut: boolean
}

/**
 * Returns the folder to apply the task's changes to, with the base branch; with HEAD if that branch
 * was deleted. Null if there is no commit.
 */
export async function originOf(
  deps: PresenceDependencies & { git: Git },
  task: Task,
  workspace: Workspace,
): Promise<Origin | null> {
  const { git } = deps
  const dir = await originDir(deps, task)
  const present = await git.currentBranch(dir)
  const branch = workspace.baseBranch
  const tip = branch === null ? null : await git.resolveCommit(dir, `refs/heads/${branch}`)
  if (tip !== null) return { dir, branch, tip, checkedOut: branch === present }
  const head = await git.head(dir)
  // The work did not start from the branch that is checked out now, so `branch` is null.
  return head === null ? null : { dir, branch: null, tip: head, checkedOut: true }
}

async function originDir(deps: PresenceDependencies, task: Task): Promise<string> {
  for (const id of ancestorsOf(deps.state, task.id)) {
    const above = deps.state.tasks.get(id)
    if (above?.workspace?.removal === null && (await hasDirectory(deps, above)))
      return above.workspace.path
  }
  return task.projectDir
}

/** Returns the move of the branch since `start`, the commit that the worktree was created from; null if none. */
export async function headMove(
  git: Git,
  { dir, branch, tip }: Origin,
  start: string,
): Promise<DriftReport['headMoved']> {
  if (tip === start) return null
  return {
    branch,
    from: start,
    to: tip,
    commits: await git.countCommits({ dir, from: start, to: tip }),
  }
}

/**
 * Returns the files of this agent that others changed at the origin since, committed or not. Contents that equal the
 * agent's own in `ownTree`, its last state, were applied from it and do not count.
 */
export async function originConflicts(
  deps: Deps,
  task: Task,
  workspace: Workspace & { baseCommit: string },
  { origin, trail, ownTree }: { origin: Origin; trail: Trail; ownTree: string | null },
): Promise<DriftConflict[]> {
  const { git } = deps
  const { dir, tip } = origin
  const tree = origin.checkedOut ? (await git.snapshot(dir)).tree : tip
  const since = await git.treeDifferences({ dir, from: workspace.baseCommit, to: tree })
  const found = since.filter((difference) => touches(trail, difference))
  if (found.length === 0) return []
  const fromOwn = ownTree && (await pathsBetween(git, { dir, from: ownTree, to: tree }))
  const differing = found.filter(
    (difference) => !fromOwn || bothNames(difference).some((name) => fromOwn.has(name)),
  )
  if (differing.length === 0) return []

  const uncommitted = await pathsBetween(git, { dir, from: tip, to: tree })
  const neighbours = await neighboursIn(deps, task, dir)
  const begunAt = Date.parse(workspace.createdAt)
  const from = await git.committedBase({ dir, commit: workspace.baseCommit })
  const paths = differing.flatMap(bothNames)
  const committers =
    from === null || from === tip
      ? new Map<string, ChangeMaker | null>()
      : await committersOf(deps, task, { dir, from, to: tip, paths, neighbours })

  const conflicts: DriftConflict[] = []
  for (const difference of differing) {
    const names = bothNames(difference)
    const { change, path, oldPath } = difference
    const maker = names.map((name) => committers.get(name)).find((by) => by !== undefined)
    let changedBy: ChangeMaker | null
    if (names.some((name) => uncommitted.has(name))) {
      const agent = firstKnown(names, (name) => neighbours.changed(name, begunAt))
      // A root began from the committed state: changes that were uncommitted before it are not new.
      const isOld = agent === null && (await isOlder(dir, difference, begunAt))
      changedBy = isOld ? (maker ?? null) : (agent ?? thePerson)
    } else changedBy = maker === undefined ? thePerson : maker
    if (changedBy !== null)
      conflicts.push({ path, oldPath, change, changedBy, ...blobsOf(difference) })
  }
  return conflicts
}

export async function pathsBetween(
  git: Git,
  trees: { dir: string; from: string; to: string },
): Promise<Set<string>> {
  return new Set((await git.treeDifferences(trees)).flatMap(bothNames))
}

async function isOlder(dir: string, { path }: TreeDifference, atMs: number): Promise<boolean> {
  const changedAt = await modifiedAt(dir, path)
  return changedAt !== null && changedAt < atMs
}
