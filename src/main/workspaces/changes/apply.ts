/** Applies the changes of a workspace to its parent's folder or the project's. */
import { join } from 'node:path'
import type { ApplyOutcome } from '../../../shared/agents/tools.ts'
import type { ChangeSelection } from '../../../shared/contract/changes/changes.ts'
import { invalid, refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import { patchDir, seriesFile, worktreePatchFile } from '../../artifacts/index.ts'
import { editedConflict, type Git, type MergeAnswer } from '../../git/index.ts'
import { exists, sha256OfDataFile } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { FileUpdates } from '../file-updates/file-updates.ts'
import type { WorkspaceLocks } from '../locks.ts'
import type { FindAppliedStates } from './applied-states.ts'
import type { FinalState, FinalStates, IsolatedWorkspace } from './final-state.ts'
import type { KeepPatchStatus } from './patch-status.ts'

/**
 * Applies by a three-way merge, all or nothing; a conflict is a result, not an error. A root's
 * changes are applied to the project's own folder, a sub-agent's to its parent's, or to that of the
 * nearest ancestor that still exists. With a selection only these changes are applied, and the
 * status of the patch stays.
 */
export type ApplyChanges = (taskId: TaskId, selection?: ChangeSelection) => Promise<ApplyOutcome>

/** A program that writes all the time must not keep an apply waiting. */
const mergesMax = 3

type MergeInput = Parameters<Git['mergeInto']>[0]

export function createApplyChanges(deps: {
  ledger: Ledger
  git: Git
  finalStates: FinalStates
  findAppliedStates: FindAppliedStates
  fileUpdates: FileUpdates
  keepPatchStatus: KeepPatchStatus
  locks: Pick<WorkspaceLocks, 'folder'>
}): ApplyChanges {
  const { ledger, git, locks } = deps
  const { isolated, finalState, applyTarget, refuseWithoutTarget } = deps.finalStates

  async function apply(taskId: TaskId, selection?: ChangeSelection): Promise<ApplyOutcome> {
    const { task } = isolated(taskId)
    for (;;) {
      const target = applyTarget(task)
      // A removal of that workspace holds the folder's lock until it is deleted; the changes then
      // have another target.
      const outcome = await locks.folder(target, async () =>
        applyTarget(task) === target ? applyTo(taskId, target, selection) : null,
      )
      if (outcome) return outcome
    }
  }

  async function applyTo(
    taskId: TaskId,
    target: string,
    selection: ChangeSelection | undefined,
  ): Promise<ApplyOutcome> {
    const { task, workspace } = isolated(taskId)
    if (workspace.isolation === 'in-place') {
      return refused(
        'nothing-to-apply',
        `"${task.title}" worked in place: its changes are in ${workspace.path} already.`,
      )
    }
    if (isRunning(task.status)) {
      return refused(
        'running',
        `"${task.title}" is running. You can apply its changes when it has finished.`,
      )
    }
    const final = await finalState(task, workspace)
    if (!final) return refused('nothing-to-apply', `No changes of "${task.title}" are kept.`)
    if ('saved' in final && final.saved.status === 'failed') {
      const why = final.saved.error ?? 'its patch could not be created'
      return refused('nothing-to-apply', `The changes of "${task.title}" were not kept: ${why}.`)
    }
    const theirCommit =
      'live' in final ? (await git.commitSnapshot(final.live)).commit : final.saved.finalCommit
    if (!theirCommit) return { kind: 'nothing-to-apply' }
    await refuseWithoutTarget(task, target)
    await settleEarlierUpdates(target)
    const partial = selection !== undefined
    const appliedStates = await deps.findAppliedStates(task)
    const mergeOnce = async () => {
      const update = deps.fileUpdates.applyInto(taskId, target, { partial })
      const writing = { ...update, selection, appliedStates }
      const { baseCommit } = workspace
      const merged = await git.mergeInto({ ...writing, targetDir: target, baseCommit, theirCommit })
      return merged.kind === 'commits-missing'
        ? applySavedFiles(merged, writing, target, workspace, final)
        : merged
    }
    let outcome = await mergeOnce()
    // Another program wrote to the files meanwhile, which may fit with the changes.
    for (let again = 1; outcome.kind === 'edited' && again < mergesMax; again++)
      outcome = await mergeOnce()
    switch (outcome.kind) {
      case 'no-such-change':
        return invalid(
          'selection',
          `"${task.title}" changed nothing at ${outcome.what}. \`shiplog workspaces diff\` shows its changes.`,
        )
      case 'changed-since-shown':
        return refused(
          'changed-since-shown',
          `The changes of "${task.title}" are no longer those that were shown. Review them again, then apply.`,
        )
      case 'base-missing':
        return refused(
          'nothing-to-apply',
          `The repository lost the commit that "${task.title}" started from, so its changes can only be applied as a whole.`,
        )
    }
    if (outcome.kind === 'edited') return editedConflict(outcome)
    if (outcome.kind === 'already-applied' && !partial) {
      await deps.keepPatchStatus(task, 'applied')
      await ledger.record({ type: 'task.patch-changed', taskId, status: 'applied' })
    }
    return outcome
  }

  /** Completes an earlier update first, because half-written files must not be merged with. */
  async function settleEarlierUpdates(target: string): Promise<void> {
    for (const { outcome, root } of await deps.fileUpdates.settle(target)) {
      if (outcome.kind !== 'failed') continue
      const why = outcome.error instanceof Error ? outcome.error.message : String(outcome.error)
      refused(
        'in-use',
        `An earlier apply to ${root} was interrupted and can't be completed yet: ${why}`,
      )
    }
  }

  /** Used if the repository lost the commits (a new clone, an early collection). */
  async function applySavedFiles(
    merged: MergeAnswer & { kind: 'commits-missing' },
    writing: ReturnType<FileUpdates['applyInto']> & Pick<MergeInput, 'selection' | 'appliedStates'>,
    targetDir: string,
    workspace: IsolatedWorkspace,
    final: FinalState,
  ) {
    if ('live' in final) {
      return refused(
        'not-git',
        `The commit ${merged.commits.join(', ')} is not in the repository of ${targetDir}.`,
      )
    }
    const dir = patchDir(final.dir, final.saved.childTaskId)
    const pathOf = async (name: string) => {
      const path = join(dir, name)
      const saved = final.saved.files?.find((file) => file.name === name)
      // A file that the patch does not list is not part of it.
      if (!saved) return null
      // Without it, the other file would be half of the work.
      if (!(await exists(path)))
        return refused('nothing-to-apply', `A part of its patch is lost: ${path}`)
      if ((await sha256OfDataFile(path)) !== saved.sha256)
        return refused(
          'nothing-to-apply',
          `A part of its patch was changed after it was saved: ${path}`,
        )
      return path
    }
    const seriesPath = await pathOf(seriesFile)
    const worktreePath = await pathOf(worktreePatchFile)
    return git.mergePatchInto({
      ...writing,
      targetDir,
      baseCommit: workspace.baseCommit,
      seriesPath,
      worktreePath,
    })
  }

  return apply
}
