/**
 * Writes files of a working tree as one transaction: stores the old and the new contents in the repository, records
 * the beginning in the ledger, swaps the files, records the end. The next start, or the next update of the same
 * working tree, settles an update that a crash interrupted. See README.md.
 */

import type { UndoOutcome } from '../../../shared/agents/tools.ts'
import { dayMs } from '../../../shared/durations.ts'
import { refused } from '../../../shared/failure.ts'
import { clockAhead, clockLeapDaysMax } from '../../../shared/projections/ledger/ledger-clock.ts'
import { newUpdateId, type TaskId, type UpdateId } from '../../../shared/records/ids.ts'
import { undoableApply, undoableDays } from '../../../shared/records/projects/file-updates.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { listFirst } from '../../../shared/text/counted.ts'
import type { UpdatePlan, WriteUpdate } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import { storedPath } from '../../sessions/session-files.ts'
import { type ActiveUpdate, directionOf, type FileUpdateDependencies } from './active-update.ts'
import { ChangedMeanwhileError } from './replace-checked.ts'
import { createSettle, type SettledUpdate } from './settle.ts'
import { type Direction, statesOf, swapFiles } from './swap-files.ts'
import { whileUpdating } from './update-lock.ts'

export interface FileUpdates {
  /**
   * Returns an id for an apply of a task's changes into `dir`, and the function that writes its
   * plan. `partial`: the status of the task's patch stays.
   */
  applyInto(
    taskId: TaskId,
    dir: string,
    about: { partial: boolean },
  ): { updateId: UpdateId; write: WriteUpdate }
  /** Undoes the newest apply. Throws FailureError if there is none, or its folder is missing. */
  undo(taskId: TaskId): Promise<UndoOutcome>
  /**
   * Completes or rolls back interrupted updates in the working tree of `dir`, or in all without it.
   * Never throws.
   */
  settle(dir?: string): Promise<SettledUpdate[]>
}

const opposite = (direction: Direction): Direction =>
  direction === 'forward' ? 'backward' : 'forward'

export function createFileUpdates(deps: FileUpdateDependencies): FileUpdates {
  const { ledger, git, layout, keepPatchStatus, clock } = deps
  const { state } = ledger
  const settle = createSettle({ ...deps, finish, rollBack })
  /** A failure to drop an old update only costs space. */
  const reportDropFailure = (error: unknown) =>
    deps.onIgnored?.('what an apply replaced could not be dropped', error)

  function taskOf(taskId: TaskId): Task {
    const task = state.tasks.get(taskId)
    if (!task) throw new Error(`the ledger has no task ${taskId}`)
    return task
  }

  function applyInto(taskId: TaskId, dir: string, { partial }: { partial: boolean }) {
    const updateId = newUpdateId()
    const write = async ({ root, commit, manifest, files }: UpdatePlan) => {
      const about = { reason: 'apply', ...(partial ? { partial } : {}) } as const
      const update = { id: updateId, ...about, root, commit, files: files.length }
      const written = await run({ task: taskOf(taskId), update, manifest }, dir)
      const nowMs = clock()
      // After the clock jumped ahead, everything looks old. A jump that is too short to be noticed drops nothing that
      // can still be undone.
      const oldestMs = nowMs - (undoableDays + clockLeapDaysMax) * dayMs
      if (clockAhead(state.clock, nowMs) === null)
        await git.dropOldUpdates(root, oldestMs).catch(reportDropFailure)
      return written
    }
    return { updateId, write }
  }

  async function undo(taskId: TaskId): Promise<UndoOutcome> {
    const task = taskOf(taskId)
    const applied = undoableApply(task, clock())
    if (!applied) return refused('nothing-to-undo', noUndoReason(task))
    const { root, commit, files, dir, partial } = applied
    if (!(await exists(root))) {
      return refused('removed', `${root}, to which "${task.title}" was applied, is gone.`)
    }
    return git.inWorkingTree(root, async () => {
      const manifest = await git.updateManifest(root, commit).catch(() => null)
      if (!manifest) {
        return refused(
          'nothing-to-undo',
          `The content that applying "${task.title}" replaced is no longer in the repository of ${root}.`,
        )
      }
      const { other } = await statesOf(root, manifest, 'backward')
      if (other.length > 0) return changedSince(other)
      const about = { reason: 'undo', undoes: applied.id, partial } as const
      const update = { id: newUpdateId(), ...about, root, commit, files }
      const done = await run({ task, update, manifest }, dir)
      if (done.kind === 'edited') return changedSince(done.paths)
      const paths = manifest.files.map(({ path }) => path)
      return { kind: 'undone', files, paths }
    })
  }

  type Outcome = { kind: 'written' } | { kind: 'edited'; paths: string[] }

  /** Swaps all files or none. Throws the disk's error; nothing was changed unless its message reports otherwise. */
  const run = (active: ActiveUpdate, dir: string): Promise<Outcome> =>
    whileUpdating(git, active.update.root, () => runLocked(active, dir))

  async function runLocked(active: ActiveUpdate, dir: string): Promise<Outcome> {
    const { task, update, manifest } = active
    const { id: updateId, reason, undoes, partial, root, commit, files } = update
    try {
      await ledger.record({
        type: 'files.update-started',
        updateId,
        taskId: task.id,
        reason,
        undoes,
        partial,
        dir: storedPath(layout, dir),
        root: storedPath(layout, root),
        commit,
        files,
      })
    } catch (error) {
      if (reason === 'apply') await git.dropUpdate(root, updateId).catch(reportDropFailure)
      throw error
    }
    const direction = directionOf(update)
    const swapped = new Set<string>()
    const whereKept = async () => {
      const command = await git.commandForUpdate(root, commit)
      return `The replaced content is kept: ${command} show ${commit}:${direction === 'forward' ? 'before' : 'after'}/<file>`
    }
    try {
      const swap = { git, root, updateId, manifest, direction, changed: 'refuse', swapped } as const
      const done = await swapFiles(swap)
      if (done.kind === 'changed') {
        await rollBack(active)
        return { kind: 'edited', paths: done.paths }
      }
    } catch (error) {
      const left = await rollBack(active).catch(async (second) => {
        throw new AggregateError(
          [error, second],
          `${root} could not be written, and the files that were written could not be restored; the next start tries again. ${await whereKept()}`,
        )
      })
      const mixed = left.filter((path) => swapped.has(path))
      if (mixed.length > 0)
        throw new Error(
          `${listFirst(mixed, namedPathsMax)} in ${root} changed after it was written, and was left as it is; everything else was restored. ${await whereKept()}`,
          { cause: error },
        )
      if (error instanceof ChangedMeanwhileError) return { kind: 'edited', paths: [error.path] }
      throw error
    }
    await finish(active)
    return { kind: 'written' }
  }

  /** Records the end of an update whose files are all durable. */
  async function finish({ task, update }: ActiveUpdate): Promise<void> {
    if (!update.partial)
      await keepPatchStatus(task, update.reason === 'apply' ? 'applied' : 'ready')
    await ledger.record({ type: 'files.updated', updateId: update.id, taskId: task.id })
    // The content that the undo replaced is in the patch of the undone apply.
    if (update.undoes) await git.dropUpdate(update.root, update.undoes).catch(reportDropFailure)
  }

  /** Resolves with the paths left unchanged because they are in neither state. */
  async function rollBack({ task, update, manifest }: ActiveUpdate): Promise<string[]> {
    const { id: updateId, root, reason } = update
    const direction = opposite(directionOf(update))
    const swapped = await swapFiles({ git, root, updateId, manifest, direction, changed: 'leave' })
    const left = swapped.kind === 'swapped' ? swapped.left : swapped.paths
    await ledger.record({ type: 'files.update-rolled-back', updateId, taskId: task.id, left })
    // If files were left unchanged, their earlier contents may still be needed.
    if (left.length === 0 && reason === 'apply')
      await git.dropUpdate(root, updateId).catch(reportDropFailure)
    return left
  }

  return {
    applyInto,
    undo,
    settle,
  }
}

function noUndoReason({ title, fileUpdates = [] }: Task): string {
  const old = fileUpdates.some(({ reason, doneAt }) => reason === 'apply' && doneAt !== null)
  return old
    ? `"${title}" was applied more than ${undoableDays} days ago, so the replaced content is no longer kept.`
    : `The changes of "${title}" are not applied, so there is nothing to undo.`
}

/** The message lists only these; `paths` has all. */
const namedPathsMax = 3

function changedSince(paths: string[]): UndoOutcome {
  return {
    kind: 'changed-since',
    paths,
    message: `${listFirst(paths, namedPathsMax)} changed since the changes were applied. Nothing was undone.`,
  }
}
