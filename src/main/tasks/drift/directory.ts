/** Finds changes in the directory that a task worked in since the task's last recorded state. */
import { type DriftConflict, type DriftReport, thePerson } from '../../../shared/records/drift.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git, TreeDifference } from '../../git/index.ts'
import type { Trail } from '../../runs/session-history.ts'
import { committersOf, type Neighbours, neighboursIn } from './attribution.ts'
import { attributeChange, contentHash } from './crash-attribution.ts'

type Deps = Parameters<typeof neighboursIn>[0]

export interface DirectoryDrift extends Pick<DriftReport, 'conflicts' | 'dirty' | 'notCompared'> {
  /** Its present state, uncommitted and untracked files included; null outside Git. */
  tree: string | null
  head: string | null
}

/** In Git: the last recorded tree against the present one. */
export async function compareTrees(
  deps: Deps,
  task: Task,
  workspace: Workspace,
  trail: Trail,
): Promise<DirectoryDrift> {
  const { git } = deps
  const dir = workspace.path
  const { tree, head } = await git.snapshot(dir)
  const from = await lastKnownTree(git, dir, workspace, trail)
  if (from === null) return { conflicts: [], dirty: [], notCompared: noKnownState, tree, head }
  const found = await git.treeDifferences({ dir, from, to: tree })
  const dirty: string[] = []
  const byOthers: TreeDifference[] = []
  for (const difference of found) {
    const isTouched = touches(trail, difference)
    const whose =
      isTouched || trail.uncovered.written.has(difference.path)
        ? await attributeChange(dir, difference.path, trail)
        : 'others'
    if (whose === 'own') continue
    dirty.push(difference.path)
    if (isTouched && whose === 'others') byOthers.push(difference)
  }
  const who = await attribution(deps, task, trail, { dir, head, byOthers })
  return { conflicts: byOthers.flatMap(who), dirty, notCompared: null, tree, head }
}

const noKnownState =
  'The last recorded state of its files is no longer in the repository, so they could not be compared.'

/** Returns the last recorded tree, else the commit that the worktree was created from; null if neither exists. */
async function lastKnownTree(
  git: Git,
  dir: string,
  workspace: Workspace,
  { snapshot }: Trail,
): Promise<string | null> {
  const candidates = [snapshot?.tree, snapshot ? null : workspace.baseCommit]
  for (const tree of candidates) if (tree && (await git.hasTree({ dir, tree }))) return tree
  return null
}

/** A rename touches both names. */
export const touches = ({ touched }: Trail, { path, oldPath }: TreeDifference): boolean =>
  touched.has(path) || (oldPath !== null && touched.has(oldPath))

async function attribution(
  deps: Deps,
  task: Task,
  trail: Trail,
  { dir, head, byOthers }: { dir: string; head: string | null; byOthers: TreeDifference[] },
): Promise<(difference: TreeDifference) => DriftConflict[]> {
  if (byOthers.length === 0) return () => []
  const neighbours = await neighboursIn(deps, task, dir)
  const from = trail.snapshot?.head
  const paths = byOthers.flatMap(bothNames)
  const committers =
    from && head && from !== head
      ? await committersOf(deps, task, { dir, from, to: head, paths, neighbours }).catch(() => null)
      : null
  return (difference) => {
    const { change, path, oldPath } = difference
    const names = bothNames(difference)
    const changedBy =
      firstKnown(names, (name) => neighbours.changed(name, trail.knownAt)) ??
      firstKnown(names, (name) => committers?.get(name) ?? null) ??
      thePerson
    return [{ path, oldPath, change, changedBy, ...blobsOf(difference) }]
  }
}

/** Returns both content ids of a file that exists before and after; empty otherwise. */
export function blobsOf({ change, oldId, newId }: TreeDifference): Pick<DriftConflict, 'blobs'> {
  const isText = change === 'modified' || change === 'renamed'
  return isText && oldId !== newId ? { blobs: { from: oldId, to: newId } } : {}
}

export const bothNames = ({ path, oldPath }: { path: string; oldPath: string | null }): string[] =>
  oldPath === null ? [path] : [path, oldPath]

export function firstKnown<T>(names: string[], find: (name: string) => T | null): T | null {
  for (const name of names) {
    const found = find(name)
    if (found !== null) return found
  }
  return null
}

/** Outside Git: only what its edit tools recorded can be compared. */
export async function compareContents(
  deps: Deps,
  task: Task,
  dir: string,
  trail: Trail,
): Promise<DirectoryDrift> {
  const dirty: string[] = []
  const conflicts: DriftConflict[] = []
  let neighbours: Neighbours | null = null
  for (const [path, after] of [...trail.uncovered.written].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const present = await contentHash(dir, path)
    if (present === after) continue
    dirty.push(path)
    if ((await attributeChange(dir, path, trail)) !== 'others') continue
    neighbours ??= await neighboursIn(deps, task, dir)
    const change = present === null ? 'deleted' : after === null ? 'added' : 'modified'
    const changedBy = neighbours.changed(path, trail.endedAt ?? trail.knownAt) ?? thePerson
    conflicts.push({ path, oldPath: null, change, changedBy })
  }
  return { conflicts, dirty, notCompared: notGit, tree: null, head: null }
}

const notGit =
  'The project is not in Git: only files that its edit tools changed could be compared.'
