/**
 * Restores an archived root with its worktree, moves it to the trash, and restores it from there
 * (R6). Each is one move and one ledger event, so a second call or the next start completes one
 * that a crash interrupted.
 */
import { basename, dirname, join } from 'node:path'
import { FailureError, refused } from '../../../shared/failure.ts'
import { descendantsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { patchIndex } from '../../artifacts/index.ts'
import {
  exists,
  holdsTheSame,
  isLeftOfMove,
  makeDirDurable,
  moveDurable,
  namesIn,
  removeDurable,
} from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { trashedRootName } from '../../sessions/trash-names.ts'
import type { WorkspaceLocks } from '../locks.ts'
import type { Projects } from '../projects.ts'
import { recordRestored } from './record-restored.ts'
import type { Archived, ArchivedWorktrees } from './worktrees.ts'

export interface ArchivedRoots {
  /**
   * Returns the archived workspace, restored from the trash if necessary, after checking that its
   * worktree can be recreated. Throws FailureError otherwise.
   */
  restorable(taskId: TaskId): Promise<Archived>
  /**
   * Restores a root whose restore is recorded as begun, including its worktree and uncommitted
   * work. Throws FailureError if its worktree can't be recreated: then it stays in the archive.
   */
  restore(task: Archived): Promise<void>
  /** Moves it to the trash, where it stays until it expires; resolves with the moved tasks. Throws FailureError. */
  trash(taskId: TaskId): Promise<TaskId[]>
  /** Moves it from the trash to the archive. */
  untrash(taskId: TaskId): Promise<void>
  /** Completes moves to and from the trash whose ledger event a crash prevented. */
  settleTrash(): Promise<void>
}

export function createArchivedRoots(deps: {
  ledger: Ledger
  layout: DataLayout
  worktrees: ArchivedWorktrees
  relist: Projects['relist']
  locks: Pick<WorkspaceLocks, 'session'>
}): ArchivedRoots {
  const { ledger, layout, worktrees } = deps
  const { state } = ledger

  const move = (taskId: TaskId, from: string, to: string): Promise<void> =>
    deps.locks.session(taskId, () => moveOnce(from, to))

  function archivedRoot(taskId: TaskId): Archived {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'workspace', id: taskId })
    if (task.parentId !== null) {
      return refused(
        'not-archived',
        `"${task.title}" is a sub-agent: it is kept with its root, ${task.rootId}.`,
      )
    }
    const { workspace } = task
    if (!workspace || !task.archived) {
      return refused(
        'not-archived',
        `"${task.title}" is not in the archive: its workspace has not been removed.`,
      )
    }
    return { ...task, workspace }
  }

  async function restorable(taskId: TaskId): Promise<Archived> {
    const task = archivedRoot(taskId)
    if (task.trashed) await untrash(taskId)
    if (task.workspace.restoring) return task
    if (task.imported) return withTrashNote(task, async () => refuseImported(task))
    const patch = await patchIndex(layout.archiveDir(taskId)).get(taskId)
    await withTrashNote(task, () => worktrees.refuseUnrestorable(task, patch))
    return task
  }

  async function restore(task: Archived): Promise<void> {
    const { id } = task
    const home = layout.sessionDir(id)
    await move(id, layout.archiveDir(id), home)
    let branch: string | null
    try {
      const patch = await patchIndex(home).get(id)
      branch = await withTrashNote(task, () => worktrees.restore(task, patch))
    } catch (error) {
      // It stays in the archive. If even that fails, the next start tries both again.
      await move(id, home, layout.archiveDir(id))
      throw error
    }
    await deps.relist(task.projectId)
    await recordRestored(ledger, { id, branch })
  }

  async function trash(taskId: TaskId): Promise<TaskId[]> {
    const task = archivedRoot(taskId)
    if (task.workspace.restoring)
      refused('not-archived', `"${task.title}" is being restored from the archive.`)
    if (task.trashed) return []
    await move(taskId, layout.archiveDir(taskId), trashed(taskId))
    await ledger.record({ type: 'workspace.trashed', workspaceId: taskId })
    return [...descendantsOf(state, taskId).map((task) => task.id), taskId]
  }

  async function untrash(taskId: TaskId): Promise<void> {
    const { title, trashed: isTrashed, purged } = archivedRoot(taskId)
    if (purged) refused('removed', `"${title}" is no longer in the trash: it has expired.`)
    if (!isTrashed) refused('not-archived', `"${title}" is not in the trash.`)
    if (!(await exists(trashed(taskId))) && !(await exists(layout.archiveDir(taskId)))) {
      refused('removed', `"${title}" is no longer in the trash: it has expired.`)
    }
    await move(taskId, trashed(taskId), layout.archiveDir(taskId))
    await ledger.record({ type: 'workspace.untrashed', workspaceId: taskId })
  }

  async function settleTrash(): Promise<void> {
    const [inArchive, inTrash] = await Promise.all(
      [layout.archive, layout.trash].map(namesWithoutLeftovers),
    )
    for (const { id, parentId, archived, workspace, trashed: isTrashed } of state.tasks.values()) {
      if (parentId !== null || !archived || workspace?.restoring) continue
      const archivePath = layout.archiveDir(id)
      const [from, to, begun] = isTrashed
        ? [trashed(id), archivePath, inArchive?.has(basename(archivePath))]
        : [archivePath, trashed(id), inTrash?.has(basename(trashed(id)))]
      // Both places with the same content: copied to another file system, and not yet deleted here.
      if (!begun || ((await exists(from)) && !(await holdsTheSame(from, to)))) continue
      await move(id, from, to)
      const type = isTrashed ? 'workspace.untrashed' : 'workspace.trashed'
      await ledger.record({ type, workspaceId: id })
    }
  }

  const trashed = (taskId: TaskId): string => join(layout.trash, trashedRootName(taskId))

  return { restorable, restore, trash, untrash, settleTrash }
}

const refuseImported = ({ title }: Archived): never =>
  refused(
    'not-archived',
    `"${title}" was imported: it can be read, searched and exported, and has no worktree here that could be restored.`,
  )

/**
 * Adds to an error of `work` that the root is out of the trash now: it stays in the archive, because in
 * the trash it would expire while the user makes room for its worktree.
 */
async function withTrashNote<T>({ trashed }: Archived, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!trashed || !(error instanceof FailureError)) throw error
    return refused('removed', `It was moved from the trash to the archive. ${error.message}`)
  }
}

/** Idempotent: a second call completes an interrupted move. */
async function moveOnce(from: string, to: string): Promise<void> {
  if (!(await exists(from)) && !(await exists(to)))
    throw new Error(`neither ${basename(from)} nor ${basename(to)} exists`)
  await makeDirDurable(dirname(to))
  await moveDurable(from, to)
}

/** Returns the names, after deleting what an interrupted move to another file system left there. */
async function namesWithoutLeftovers(dir: string): Promise<Set<string>> {
  const names = await namesIn(dir)
  for (const name of names.filter(isLeftOfMove)) await removeDurable(join(dir, name))
  return new Set(names)
}
