/** Finds the changes that the target folder already has, and those that would conflict there. */
import {
  type ChangeConflict,
  conflictCharsMax,
  type TargetComparison,
} from '../../../shared/contract/changes/changes.ts'
import { hunkRangesOf } from '../../../shared/git/hunk-ranges.ts'
import { diffTree, readRaw, type TreeChange, treeChanges } from '../changes/tree-changes.ts'
import { fields, type RunGit } from '../command/run-git.ts'
import { treeOfCommit } from '../repository/commits.ts'
import { readTexts } from '../repository/texts.ts'
import { withSnapshot } from '../snapshots/snapshot.ts'
import { type AppliedState, baseOfMerge } from './applied-base.ts'
import { mergeTrees, type TreeMerge } from './merge-trees.ts'
import { patchOf } from './select-changes.ts'

export interface CompareInput {
  targetDir: string
  baseCommit: string
  /** The final state of the changes. */
  theirCommit: string
  /** See `MergeIntoInput`. */
  appliedStates?: readonly AppliedState[] | undefined
  signal?: AbortSignal | undefined
}

/** Limits the files whose hunks are compared, and the conflicts that are read; further ones are only listed. */
const comparedMax = 100
/** Longer files are generated; their conflicts are not shown. */
const conflictFileBytesMax = 1024 * 1024
const placesMax = 20

/** Returns null if the repository lost one of the commits. Changes nothing. */
export async function compareTarget(
  git: RunGit,
  { targetDir, baseCommit, theirCommit, appliedStates: states = [], signal }: CompareInput,
): Promise<TargetComparison | null> {
  const base = await treeOfCommit(git, targetDir, baseCommit, { signal })
  const theirs = await treeOfCommit(git, targetDir, theirCommit, { signal })
  if (base === null || theirs === null) return null
  if (base === theirs) return { tree: theirs, files: [], conflicts: [] }
  return withSnapshot(git, targetDir, { signal }, async (target) => {
    const isolated = target.quarantine.git
    const { topLevel: dir, tree: ours } = target
    const trees = { dir, base, ours, theirs, signal }
    const merge =
      ours === base
        ? ({ kind: 'merged', tree: theirs } as const)
        : await mergeTrees(isolated, {
            ...trees,
            base: await baseOfMerge(isolated, { dir, base, ours, states, signal }),
          })
    const files = await filesOf(isolated, trees, merge)
    return { tree: theirs, files, conflicts: await conflictsOf(isolated, dir, merge) }
  })
}

interface Trees {
  dir: string
  base: string
  ours: string
  theirs: string
  signal?: AbortSignal | undefined
}

async function filesOf(
  git: RunGit,
  { dir, base, ours, theirs, signal }: Trees,
  merge: TreeMerge,
): Promise<TargetComparison['files']> {
  const raw = await git([...diffTree, '--find-renames', '--raw', '-z', base, theirs], {
    cwd: dir,
    signal,
  })
  const changes = readRaw(fields(raw.stdout)).changes
  const pathsBetween = async (from: string, to: string) =>
    new Set((await treeChanges(git, { dir, from, to, signal })).map(({ path }) => path))
  const merged = merge.kind === 'merged' ? merge.tree : merge.marked?.tree
  // Paths that an apply would change; all others are applied already.
  const differing = await pathsBetween(ours, merged ?? theirs)
  if (merge.kind === 'conflict') for (const path of merge.paths) differing.add(path)
  const head = await treeOfCommit(git, dir, 'HEAD', { signal })
  const uncommitted = head === null ? null : await pathsBetween(head, ours)
  const inTarget = new Map(
    (await treeChanges(git, { dir, from: base, to: ours, signal })).map((one) => [one.path, one]),
  )
  const files: TargetComparison['files'] = []
  let compared = 0
  for (const change of changes) {
    const { path, oldPath } = change
    const same = !differing.has(path) && (oldPath === null || !differing.has(oldPath))
    const hunks =
      !same && canCompare(change, inTarget.get(path)) && compared++ < comparedMax
        ? await sharedHunks(git, change, { dir, base, ours, theirs, signal })
        : []
    const state = same ? 'applied' : hunks.length > 0 ? 'partly' : 'open'
    files.push({ path, state, hunks, uncommitted: uncommitted?.has(path) ?? inTarget.has(path) })
  }
  return files
}

/** A renamed file has no lines at its new path in the target's diff. */
const canCompare = ({ status }: TreeChange, inTarget: TreeChange | undefined): boolean =>
  status === 'M' && inTarget?.status === 'M'

/** Returns the hunks of a change that the target's own changes of the file contain too. */
async function sharedHunks(git: RunGit, change: TreeChange, { ours, ...trees }: Trees) {
  const patch = await patchOf(git, change, trees)
  const there = await patchOf(git, change, { ...trees, theirs: ours })
  const known = new Set(hunkTexts(there).map(placeAndLines))
  return hunkTexts(patch).flatMap((hunk) =>
    known.has(placeAndLines(hunk)) ? hunkRangesOf(hunk) : [],
  )
}

const hunkTexts = (patch: string): string[] => patch.split(/^(?=@@ )/m).slice(1)

/** Identifies a hunk by its old range and lines, because its new range depends on other hunks. */
const placeAndLines = (hunk: string): string => hunk.replace(/^(@@ -\S+) \+\S+ @@.*/, '$1')

async function conflictsOf(git: RunGit, dir: string, merge: TreeMerge): Promise<ChangeConflict[]> {
  if (merge.kind === 'merged') return []
  const { paths, details, marked } = merge
  const read = paths.slice(0, comparedMax)
  const texts = marked
    ? await readTexts(git, {
        dir,
        bytesMax: conflictFileBytesMax,
        names: read.map((path) => `${marked.tree}:${path}`),
      })
    : new Map<string, Buffer>()
  return paths.map((path) => {
    const text = marked && texts.get(`${marked.tree}:${path}`)
    const places = text ? placesIn(text.toString(), marked) : []
    const message = details.filter((detail) => detail.includes(path)).join('\n')
    return { path, message, places }
  })
}

/** Reads `<<<<<<< ours`, `||||||| base`, `=======` and `>>>>>>> theirs`; the base depends on `merge.conflictStyle`. */
function placesIn(
  text: string,
  { ours, theirs }: { ours: string; theirs: string },
): ChangeConflict['places'] {
  const places: ChangeConflict['places'] = []
  let side: 'none' | 'target' | 'base' | 'changes' = 'none'
  let found = { target: '', changes: '' }
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith(`<<<<<<< ${ours}`)) {
      side = 'target'
      found = { target: '', changes: '' }
    } else if (side === 'target' && line.startsWith('||||||| ')) side = 'base'
    else if ((side === 'target' || side === 'base') && line.trimEnd() === '=======')
      side = 'changes'
    else if (side === 'changes' && line.startsWith(`>>>>>>> ${theirs}`)) {
      side = 'none'
      places.push(found)
      if (places.length === placesMax) break
    } else if (side === 'target' || side === 'changes')
      found[side] = (found[side] + line).slice(0, conflictCharsMax)
  }
  return places
}
