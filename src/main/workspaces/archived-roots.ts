/**
 * What can be done with a root in the archive (R6): taken back with its worktree, or moved to the trash and
 * taken back from there. Each is one move and one ledger event, so a crash in between is ended by a
 * second call or by the next start.
 */
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FailureError, refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/ids.ts'
import type { KeyedMutex } from '../../shared/keyed-mutex.ts'
import { descendantsOf } from '../../shared/projections/ledger-state.ts'
import type { Task, Workspace } from '../../shared/tasks.ts'
import { patchIndex } from '../artifacts/index.ts'
import { type Git, WorktreeRefusedError } from '../git/index.ts'
import {
  exists,
  holdsTheSame,
  isLeftOfMove,
  makeDirDurable,
  moveDurable,
  removeDurable,
  systemCode,
} from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { trashedRootName } from '../sessions/trash-names.ts'
import { sessionKey } from './changes/keys.ts'
import type { LeftoverStore } from './leftovers/leftovers.ts'
import type { WorkingDirs } from './working-dirs.ts'

interface ArchivedRoots {
  /**
   * Back to where it was, from the trash too, worktree and uncommitted work included. Throws FailureError when
   * it is not archived, or its worktree can't be made again: then it is in the archive as before.
   */
  restore(taskId: TaskId): Promise<void>
  /** To the trash, where it stays until it expires; resolves with the tasks that went. Throws FailureError. */
  trash(taskId: TaskId): Promise<TaskId[]>
  /** Out of the trash, into the archive. */
  untrash(taskId: TaskId): Promise<void>
  /** Ends the moves to and from the trash that a crash cut off from what the ledger says of them. */
  settleTrash(): Promise<void>
  /** Roots whose restore was begun and not ended. */
  unfinished(): TaskId[]
}

type Archived = Task & { workspace: Workspace }

export function createArchivedRoots(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  workingDirs: WorkingDirs
  leftovers: Pick<LeftoverStore, 'bringBack'>
  serially: KeyedMutex
  onProblem: (text: string, error: unknown) => void
}): ArchivedRoots {
  const { ledger, git, layout } = deps
  const { state } = ledger

  const move = (taskId: TaskId, from: string, to: string): Promise<void> =>
    deps.serially(sessionKey(taskId), () => moveOnce(from, to))

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

  async function restore(taskId: TaskId): Promise<void> {
    const task = archivedRoot(taskId)
    if (task.trashed) await untrash(taskId)
    if (!task.workspace.restoring) {
      await orRefused(task, async () => {
        const worktree = await worktreeOf(task, layout.archiveDir(taskId))
        if (worktree) await git.refuseUnrestorable(worktree)
      })
      await ledger.record({ type: 'workspace.restore-started', workspaceId: taskId })
    }
    await move(taskId, layout.archiveDir(taskId), layout.sessionDir(taskId))
    let branch: string | null
    try {
      branch = await orRefused(task, () => restoreWorktree(task))
    } catch (error) {
      // Where not even that can be written, the next start tries both again.
      await giveUp(taskId).catch(() => undefined)
      throw error
    }
    await ledger.record({ type: 'workspace.restored', workspaceId: taskId, branch })
    // Last: what can't come back must not keep the root in the archive.
    await deps.leftovers.bringBack(task).catch((error) => {
      deps.onProblem(
        `What was left in the worktree of "${task.title}" is still in the trash`,
        error,
      )
    })
  }

  /** It is in the archive as before: what stood in the way can be cleared, and a restore asked for again. */
  async function giveUp(taskId: TaskId): Promise<void> {
    await move(taskId, layout.sessionDir(taskId), layout.archiveDir(taskId))
    await ledger.record({ type: 'workspace.restore-given-up', workspaceId: taskId })
  }

  /** Resolves with the branch that is checked out. */
  async function restoreWorktree(task: Archived): Promise<string | null> {
    const worktree = await worktreeOf(task, layout.sessionDir(task.id))
    if (!worktree) return task.workspace.branch
    const { repoDir, path } = worktree
    // Left by a restore that a crash cut short. A whole one may have been worked in since.
    if (await git.isPartialWorktree(path)) await git.removeWorktree({ repoDir, path })
    else if (task.workspace.restoring && (await isWorktreeOf(repoDir, path)))
      return git.currentBranch(path)
    return git.restoreWorktree(worktree)
  }

  /** What its worktree is made of, by the patch that is kept in `dir`; null when it had none. */
  async function worktreeOf({ id, title, workspace, projectDir }: Archived, dir: string) {
    const { isolation, branch } = workspace
    if (isolation === 'in-place' || !branch) return null
    const patch = await patchIndex(dir).get(id)
    if (!patch?.headCommit || !patch.finalCommit) {
      return refused(
        'removed',
        `The worktree of "${title}" can't be made again, so only its record can be read: ${patch?.error ?? 'what it held was not saved'}.`,
      )
    }
    const path = deps.workingDirs.worktreeRoot(workspace)
    const { headCommit: head, finalCommit: final } = patch
    return { repoDir: projectDir, path, branch, head, final }
  }

  async function isWorktreeOf(repoDir: string, path: string): Promise<boolean> {
    if (!(await exists(path))) return false
    return (await git.registeredWorktrees(repoDir))?.has(await realpath(path)) ?? false
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
    if (purged) refused('removed', `"${title}" is not in the trash any more: it has expired.`)
    if (!isTrashed) refused('not-archived', `"${title}" is not in the trash.`)
    if (!(await exists(trashed(taskId))) && !(await exists(layout.archiveDir(taskId)))) {
      refused('removed', `"${title}" is not in the trash any more: it has expired.`)
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
      // Both places, with the same in them: copied to another file system, and not yet deleted here.
      if (!begun || ((await exists(from)) && !(await holdsTheSame(from, to)))) continue
      await move(id, from, to)
      const type = isTrashed ? 'workspace.untrashed' : 'workspace.trashed'
      await ledger.record({ type, workspaceId: id })
    }
  }

  const trashed = (taskId: TaskId): string => join(layout.trash, trashedRootName(taskId))

  return {
    restore,
    trash,
    untrash,
    settleTrash,
    unfinished: () =>
      [...state.tasks.values()].filter((task) => task.workspace?.restoring).map((task) => task.id),
  }
}

async function orRefused<T>({ trashed }: Archived, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WorktreeRefusedError)) throw error
    // In the trash its record would expire, while the person makes room for it.
    const where = trashed ? 'It is out of the trash and in the archive. ' : ''
    return refused('removed', `${where}The worktree can't be made again: ${error.message}`)
  }
}

/** A second call finds it done, or ends what a crash left of it. */
async function moveOnce(from: string, to: string): Promise<void> {
  if (!(await exists(from)) && !(await exists(to)))
    throw new Error(`neither ${basename(from)} nor ${basename(to)} is there`)
  await makeDirDurable(dirname(to))
  await moveDurable(from, to)
}

/** What a move to another file system left half done is taken away. */
async function namesWithoutLeftovers(dir: string): Promise<Set<string>> {
  const names = await readdir(dir).catch((error) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter(isLeftOfMove)) await removeDurable(join(dir, name))
  return new Set(names)
}
