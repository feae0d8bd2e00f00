/**
 * Merges a task's changes into another working tree as uncommitted work: a three-way merge of the
 * task's base, the target's present state (uncommitted work included) and the task's final state. A
 * conflict is a result and changes nothing. No file is written here: the caller gets a plan.
 */
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ApplyOutcome } from '../../../shared/agents/tools.ts'
import type { ChangeSelection } from '../../../shared/contract/changes/changes.ts'
import { listFirst } from '../../../shared/text/counted.ts'
import { submoduleMode, treeChanges } from '../changes/tree-changes.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { treeOfCommit } from '../repository/commits.ts'
import { type OpenSnapshot, withSnapshot } from '../snapshots/snapshot.ts'
import { assertGenuine } from '../update/genuine-blobs.ts'
import { planUpdate, type UpdatePlan } from '../update/plan.ts'
import { type AppliedState, baseOfMerge } from './applied-base.ts'
import { applyToIndex, type IndexApplication, isInIndex, splitSeries } from './apply-to-index.ts'
import { mergeTrees, type TreeMerge } from './merge-trees.ts'
import { selectChanges } from './select-changes.ts'

/**
 * Writes the planned changes (`update/plan.ts`). `paths` are files that were edited meanwhile, in
 * which case nothing was changed.
 */
export type WriteUpdate = (plan: UpdatePlan) => Promise<{ kind: 'written' } | EditedMeanwhile>
interface EditedMeanwhile {
  kind: 'edited'
  paths: string[]
}

interface Writing {
  updateId: string
  write: WriteUpdate
}

export interface MergeIntoInput extends Writing {
  targetDir: string
  baseCommit: string
  /** The final state: `SavedPatch.finalCommit`. */
  theirCommit: string
  /**
   * States of other tasks that the target may have, newest first: if it has one, only what differs from the shared tree is
   * merged. Ignored with a selection.
   */
  appliedStates?: readonly AppliedState[] | undefined
  /** Only these changes; absent: all. */
  selection?: ChangeSelection | undefined
  signal?: AbortSignal | undefined
}

/** Nothing was changed. */
type NotSelected =
  | { kind: 'no-such-change'; what: string }
  /** The final state is another one than the selection was made from. */
  | { kind: 'changed-since-shown' }
  /** The saved files can only be applied as a whole, because the base is lost. */
  | { kind: 'base-missing' }

/**
 * `commits-missing`: the repository no longer has them; `mergePatchInto` uses the saved files
 * instead.
 */
export type MergeAnswer =
  | ApplyOutcome
  | NotSelected
  | EditedMeanwhile
  | { kind: 'commits-missing'; commits: string[] }

/** Merges the changes into the target. Paths are relative to its top level. Throws GitError. */
export async function mergeInto(git: RunGit, input: MergeIntoInput): Promise<MergeAnswer> {
  const { targetDir, baseCommit, theirCommit, signal } = input
  const base = await treeOfCommit(git, targetDir, baseCommit, { signal })
  const theirs = await treeOfCommit(git, targetDir, theirCommit, { signal })
  if (base === null || theirs === null) {
    const commits = [...(base ? [] : [baseCommit]), ...(theirs ? [] : [theirCommit])]
    return { kind: 'commits-missing', commits }
  }
  if (base === theirs) return { kind: 'nothing-to-apply' }
  const prepared = await withSnapshot(git, targetDir, { signal }, (target) =>
    mergeSelected(git, target, { base, theirs }, input),
  )
  return applyPrepared(prepared, input)
}

export interface MergePatchInput extends Writing {
  targetDir: string
  /** Used if the repository still has it: then the merge is as good as that of `mergeInto`. */
  baseCommit?: string | undefined
  /** See `MergeIntoInput`. */
  appliedStates?: readonly AppliedState[] | undefined
  /** The files of `savePatch`; null for one that was not written. */
  seriesPath: string | null
  worktreePath: string | null
  selection?: ChangeSelection | undefined
  signal?: AbortSignal | undefined
}

/** Like `mergeInto`, from the saved files, if the commits no longer exist. */
export async function mergePatchInto(
  git: RunGit,
  input: MergePatchInput,
): Promise<ApplyOutcome | NotSelected | EditedMeanwhile> {
  const { targetDir, baseCommit, signal } = input
  const prepared = await withSnapshot(git, targetDir, { signal }, async (target) => {
    const isolated = target.quarantine.git
    const patches = await patchFiles(isolated, target.scratchDir, input)
    if (patches.length === 0) return answered({ kind: 'nothing-to-apply' })
    const base =
      baseCommit === undefined
        ? null
        : await treeOfCommit(isolated, targetDir, baseCommit, { signal })
    if (base !== null) {
      const theirs = await applyPatches(isolated, target, base, patches, signal)
      if (theirs.kind === 'merged') {
        if (theirs.tree === base) return answered({ kind: 'nothing-to-apply' })
        return mergeSelected(git, target, { base, theirs: theirs.tree }, input)
      }
    }
    if (input.selection) return answered({ kind: 'base-missing' })
    const merge = await applyPatches(isolated, target, target.tree, patches, signal)
    // Without its original blobs, a patch that is already applied looks like one that does not fit.
    if (merge.kind === 'conflict' && (await containsAll(isolated, target, patches, signal))) {
      return answered({ kind: 'already-applied' })
    }
    return prepare(git, target, merge, input)
  })
  return applyPrepared(prepared, input)
}

/**
 * The result of planning. `write` is called after the snapshot is deleted, so that a retry of the
 * snapshot never computes a plan again after a file was touched.
 */
type Prepared =
  | { kind: 'planned'; plan: UpdatePlan }
  | { kind: 'answered'; outcome: ApplyOutcome | NotSelected | EditedMeanwhile }

const answered = (outcome: ApplyOutcome | NotSelected | EditedMeanwhile): Prepared => ({
  kind: 'answered',
  outcome,
})

async function mergeSelected(
  git: RunGit,
  target: OpenSnapshot,
  { base, theirs }: { base: string; theirs: string },
  input: Writing & Pick<MergeIntoInput, 'appliedStates' | 'selection' | 'signal'>,
): Promise<Prepared> {
  const { selection, signal } = input
  const { git: isolated } = target.quarantine
  const dir = target.topLevel
  let trees = { dir, base, signal }
  let wanted = theirs
  let ours = target.tree
  await assertReviewed(isolated, { dir, from: base, to: theirs, signal })
  if (selection) {
    if (selection.tree !== theirs) return answered({ kind: 'changed-since-shown' })
    const indexFile = path.join(target.scratchDir, 'index-selected')
    const { files } = selection
    const selected = await selectChanges(isolated, { ...trees, theirs, ours, files, indexFile })
    if (selected.kind === 'no-such-change') return answered(selected)
    wanted = selected.tree
    ours = selected.ours
  } else {
    const { appliedStates: states = [] } = input
    trees = { ...trees, base: await baseOfMerge(isolated, { ...trees, ours, states }) }
  }
  const merge = await mergeTrees(isolated, { ...trees, ours, theirs: wanted })
  return prepare(git, target, merge, input)
}

/** A review shows files of the disk where their objects should have the same content. */
async function assertReviewed(
  git: RunGit,
  trees: { dir: string; from: string; to: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { dir, signal } = trees
  const changes = await treeChanges(git, trees)
  const ids = changes.flatMap(({ oldMode, oldId, newMode, newId }) => [
    ...(isContent(oldMode) ? [oldId] : []),
    ...(isContent(newMode) ? [newId] : []),
  ])
  // A partial clone lacks contents that the merge may not need.
  const { asks, unfetchable } = await git.readConfig(dir)
  if (unfetchable.length === 0 && !asks?.fetches.length)
    await assertGenuine(git, { dir, ids, signal })
}

const isContent = (mode: string): boolean => !/^0+$/.test(mode) && mode !== submoduleMode

async function prepare(
  git: RunGit,
  target: OpenSnapshot,
  merge: TreeMerge,
  { updateId, signal }: Writing & { signal?: AbortSignal | undefined },
): Promise<Prepared> {
  if (merge.kind === 'conflict') return answered(conflict(merge.paths, merge.details))
  if (merge.tree === target.tree) return answered({ kind: 'already-applied' })
  const planned = await planUpdate(git, target, merge.tree, { updateId, signal })
  if (planned.kind === 'planned') return planned
  if (planned.kind === 'nothing-to-write') return answered({ kind: 'already-applied' })
  if (planned.kind === 'edited') return answered(planned)
  return answered(
    conflict(planned.paths, [`${listFirst(planned.paths, namedPathsMax)}: ${planned.why}`]),
  )
}

async function applyPrepared(
  prepared: Prepared,
  { write }: Writing,
): Promise<ApplyOutcome | NotSelected | EditedMeanwhile> {
  if (prepared.kind === 'answered') return prepared.outcome
  const { files, converted } = prepared.plan
  const written = await write(prepared.plan)
  if (written.kind === 'edited') return written
  return { kind: 'applied', files, ...(converted.length > 0 ? { converted } : {}) }
}

/** The message lists only these; `paths` has all. */
const namedPathsMax = 3
const detailsMax = 10

/** The outcome if another program writes to the files again and again while they are merged. */
export const editedConflict = ({ paths }: EditedMeanwhile): ApplyOutcome =>
  conflict(paths, [
    `${listFirst(paths, namedPathsMax)}: it was edited while the changes were being applied`,
  ])

function conflict(paths: string[], details: string[]): ApplyOutcome {
  const shown = details.slice(0, detailsMax)
  const message = [
    `Conflict in ${listFirst(paths, namedPathsMax)}. Nothing was changed.`,
    ...shown,
  ].join('\n')
  return { kind: 'conflict', paths, message }
}

/** Returns the patch files in the order to apply them. */
async function patchFiles(
  git: RunGit,
  scratchDir: string,
  { seriesPath, worktreePath }: MergePatchInput,
): Promise<string[]> {
  const files: string[] = []
  if (seriesPath !== null) {
    const mails = path.join(scratchDir, 'mails')
    await mkdir(mails)
    files.push(...(await splitSeries(git, { seriesPath, scratchDir: mails })))
  }
  if (worktreePath !== null) files.push(worktreePath)
  return files
}

/** Returns the tree that results from applying all patches to `tree`. */
async function applyPatches(
  git: RunGit,
  { topLevel, scratchDir }: OpenSnapshot,
  tree: string,
  patches: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TreeMerge> {
  const run = {
    cwd: topLevel,
    env: { GIT_INDEX_FILE: path.join(scratchDir, 'index-patched') },
    signal,
  }
  await git(['read-tree', tree], run)
  for (const patch of patches) {
    const applied: IndexApplication = await applyToIndex(git, run, await readFile(patch))
    if (applied.kind === 'conflict') return applied
  }
  return { kind: 'merged', tree: line(await git(['write-tree'], run)) }
}

async function containsAll(
  git: RunGit,
  { topLevel, tree, scratchDir }: OpenSnapshot,
  patches: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const run = {
    cwd: topLevel,
    env: { GIT_INDEX_FILE: path.join(scratchDir, 'index-reversed') },
    signal,
  }
  await git(['read-tree', tree], run)
  for (const patch of patches.toReversed()) {
    if (!(await isInIndex(git, run, await readFile(patch)))) return false
  }
  return true
}
