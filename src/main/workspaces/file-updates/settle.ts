/** Completes or rolls back the updates of files that a crash, or a full disk, interrupted. */
import type { FileUpdate } from '../../../shared/records/projects/file-updates.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import { type ActiveUpdate, directionOf, type FileUpdateDependencies } from './active-update.ts'
import { statesOf, swapFiles } from './swap-files.ts'
import { whileUpdating } from './update-lock.ts'

/** The result of completing an interrupted update. */
export interface SettledUpdate {
  taskId: Task['id']
  title: string
  reason: FileUpdate['reason']
  root: string
  files: number
  /**
   * A command that shows the kept contents, to be completed with `:before/<file>` or
   * `:after/<file>`.
   */
  show: string
  outcome:
    | { kind: 'completed' }
    /** `left`: paths in neither state, which were not changed. */
    | { kind: 'rolled-back'; left: string[] }
    /** The folder is missing, or its repository has nothing of the update. */
    | { kind: 'nothing-left' }
    /** The next start tries again. */
    | { kind: 'failed'; error: unknown }
}

type SettleDependencies = Pick<FileUpdateDependencies, 'ledger' | 'git' | 'layout'> & {
  finish(active: ActiveUpdate): Promise<void>
  rollBack(active: ActiveUpdate): Promise<string[]>
}

/**
 * Rolls forward if some files have their new state and all others their old one; else rolls back,
 * because nothing was written yet, or one of the files was changed since.
 */
export function createSettle({ ledger, git, layout, finish, rollBack }: SettleDependencies) {
  const { state } = ledger

  return async (dir?: string): Promise<SettledUpdate[]> => {
    const begun = [...state.tasks.values()].flatMap((task) =>
      (task.fileUpdates ?? []).flatMap((update) =>
        update.doneAt === null ? [{ task, update }] : [],
      ),
    )
    if (begun.length === 0) return []
    const settled: SettledUpdate[] = []
    for (const { task, update } of begun) {
      if (dir !== undefined && !isWithin(update.root, dir)) continue
      const outcome = await settleOne(task, update).catch((error): SettledUpdate['outcome'] => ({
        kind: 'failed',
        error,
      }))
      if (outcome === null) continue
      const { reason, root, files, commit } = update
      const show = `${await git.commandForUpdate(root, commit)} show ${commit}`
      settled.push({ taskId: task.id, title: task.title, reason, root, files, show, outcome })
    }
    return settled
  }

  /** Returns null if another call has completed it. */
  async function settleOne(
    task: Task,
    update: FileUpdate,
  ): Promise<SettledUpdate['outcome'] | null> {
    if (!(await exists(update.root))) {
      // A folder of the user's may be on an unmounted drive; a missing worktree of Shiplog's was
      // deleted.
      if (!isWithin(layout.dataDir, update.root)) throw new Error(`${update.root} is not there`)
      return recordNothingLeft(task, update)
    }
    const settle = async (): Promise<SettledUpdate['outcome'] | null> => {
      const now = state.tasks.get(task.id)?.fileUpdates?.find(({ id }) => id === update.id)
      if (now?.doneAt !== null) return null
      const manifest = await git.updateManifest(update.root, update.commit)
      if (!manifest) return recordNothingLeft(task, update)
      const active = { task, update, manifest }
      const direction = directionOf(update)
      const { to, other } = await statesOf(update.root, manifest, direction)
      if (other.length === 0 && to.length > 0) {
        const forward = await swapForward(git, active)
        if (forward) {
          await finish(active)
          return { kind: 'completed' }
        }
      }
      // Also if no file has its new state: a checkout may have reverted the written files, and the
      // user's own work with them, which is then only in the kept contents.
      return { kind: 'rolled-back', left: await rollBack(active) }
    }
    return git.inWorkingTree(update.root, () => whileUpdating(git, update.root, settle))
  }

  async function recordNothingLeft(
    task: Task,
    update: FileUpdate,
  ): Promise<SettledUpdate['outcome']> {
    await ledger.record({
      type: 'files.update-rolled-back',
      updateId: update.id,
      taskId: task.id,
      left: [],
    })
    return { kind: 'nothing-left' }
  }
}

/** Returns false if it can't be done now, for example because the disk is full. */
async function swapForward(git: Git, { update, manifest }: ActiveUpdate): Promise<boolean> {
  const { id: updateId, root } = update
  const direction = directionOf(update)
  return swapFiles({ git, root, updateId, manifest, direction, changed: 'refuse' }).then(
    ({ kind }) => kind === 'swapped',
    () => false,
  )
}

const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`)
