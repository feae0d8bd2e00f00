/** Brings what a workspace changed to where its work belongs. */
import { join } from 'node:path'
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/ids.ts'
import type { Serially } from '../../../shared/serially.ts'
import { isRunning, type Task } from '../../../shared/tasks.ts'
import type { ApplyOutcome } from '../../../shared/tools.ts'
import {
  changePatchStatus,
  patchDir,
  seriesFile,
  worktreePatchFile,
} from '../../artifacts/index.ts'
import type { Git, MergeAnswer } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Records } from '../record.ts'
import type { FinalState, FinalStates, IsolatedWorkspace } from './final-state.ts'
import { folderKey, sessionKey } from './keys.ts'

/**
 * Three-way, all or nothing; a conflict is an answer. A root's goes to the project's own folder, a
 * sub-agent's to its parent's, or to the nearest ancestor's that is left.
 */
export type ApplyChanges = (taskId: TaskId) => Promise<ApplyOutcome>

export function createApplyChanges(deps: {
  ledger: Ledger
  git: Git
  records: Records
  finalStates: FinalStates
  clock: () => number
  serially: Serially
}): ApplyChanges {
  const { ledger, git, records, clock, serially } = deps
  const { isolated, finalState, keepersOf, applyTarget } = deps.finalStates

  async function apply(taskId: TaskId): Promise<ApplyOutcome> {
    const { task } = isolated(taskId)
    for (;;) {
      const target = applyTarget(task)
      // Whoever removes that workspace has its folder until it is gone: its work belongs elsewhere then.
      const outcome = await serially(folderKey(target), async () =>
        applyTarget(task) === target ? applyTo(taskId, target) : null,
      )
      if (outcome) return outcome
    }
  }

  async function applyTo(taskId: TaskId, target: string): Promise<ApplyOutcome> {
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
        `"${task.title}" is at work. Its changes can be applied when it has ended.`,
      )
    }
    const final = await finalState(task, workspace)
    if (!final)
      return refused('nothing-to-apply', `Nothing is kept of what "${task.title}" changed.`)
    if ('saved' in final && final.saved.status === 'failed') {
      const why = final.saved.error ?? 'its patch could not be made'
      return refused('nothing-to-apply', `What "${task.title}" changed was not kept: ${why}.`)
    }
    const theirCommit =
      'live' in final ? (await git.commitSnapshot(final.live)).commit : final.saved.finalCommit
    if (!theirCommit) return { kind: 'nothing-to-apply' }
    const merged = await git.mergeInto({
      targetDir: target,
      baseCommit: workspace.baseCommit,
      theirCommit,
    })
    const outcome =
      merged.kind === 'commits-missing'
        ? await applySavedFiles(merged, target, workspace, final)
        : merged
    if (outcome.kind === 'applied' || outcome.kind === 'already-applied') {
      await keepApplied(task)
      await ledger.record({ type: 'task.patch-changed', taskId, status: 'applied' })
    }
    return outcome
  }

  /** Said by the patch too, wherever it is kept by now: it goes up as what is above it is removed. */
  async function keepApplied(task: Task): Promise<void> {
    for (const id of keepersOf(task)) {
      const kept = await serially(sessionKey(id), async () => {
        const dir = await records.sessionHome(id)
        return dir !== null && changePatchStatus(dir, task.id, 'applied', clock())
      })
      if (kept) return
    }
  }

  /** The repository lost the commits (a clone anew, an eager clean-up): the saved files still tell. */
  async function applySavedFiles(
    merged: MergeAnswer & { kind: 'commits-missing' },
    targetDir: string,
    workspace: IsolatedWorkspace,
    final: FinalState,
  ): Promise<ApplyOutcome> {
    if ('live' in final) {
      return refused(
        'not-git',
        `The commit ${merged.commits.join(', ')} is not in the repository of ${targetDir}.`,
      )
    }
    const dir = patchDir(final.dir, final.saved.childTaskId)
    const pathOf = async (name: string) => {
      if (await exists(join(dir, name))) return join(dir, name)
      // Without it, the other one would be half of the work.
      if (!final.saved.files?.includes(name)) return null
      return refused('nothing-to-apply', `A part of its patch is lost: ${join(dir, name)}`)
    }
    const seriesPath = await pathOf(seriesFile)
    const worktreePath = await pathOf(worktreePatchFile)
    return git.mergePatchInto({
      targetDir,
      baseCommit: workspace.baseCommit,
      seriesPath,
      worktreePath,
    })
  }

  return apply
}
