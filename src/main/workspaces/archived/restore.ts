/**
 * Restores workspaces from the archive (R6): a root with the resumable sub-agents below it, or one such sub-agent.
 * One ledger event records all restores before the first begins, so that a start after a crash completes every one of
 * them.
 */
import { messageOf } from '../../../shared/error-message.ts'
import { FailureError, refused } from '../../../shared/failure.ts'
import { shortId, type TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import { canStillRun } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { LeftoverStore } from '../leftovers/leftovers.ts'
import type { WorkspaceLocks } from '../locks.ts'
import { restoredUnrecorded } from './record-restored.ts'
import type { ArchivedRoots } from './roots.ts'
import type { ArchivedSubAgents } from './sub-agents.ts'
import type { Archived } from './worktrees.ts'

/** A resumable sub-agent that stayed in the archive. */
interface NotRestored {
  taskId: TaskId
  title: string
  /** The obstacle and its remedy, for the user. */
  why: string
}

export interface RestoredWorkspaces {
  /** Those in use again, topmost first. */
  restored: TaskId[]
  left: NotRestored[]
}

interface RestoreArchived {
  /**
   * Throws FailureError if the requested workspace is not archived, is a finished sub-agent, or
   * can't be restored: then it stays in the archive.
   */
  restore(taskId: TaskId): Promise<RestoredWorkspaces>
  /** Returns workspaces with an unfinished restore, topmost first. */
  unfinished(): TaskId[]
}

export function createRestoreArchived(deps: {
  ledger: Ledger
  roots: ArchivedRoots
  subAgents: ArchivedSubAgents
  leftovers: Pick<LeftoverStore, 'reportOfSubAgents'>
  locks: Pick<WorkspaceLocks, 'workspace'>
  onProblem: (text: string, error: unknown) => void
}): RestoreArchived {
  const { ledger, roots, subAgents } = deps
  const { state } = ledger

  async function restore(taskId: TaskId): Promise<RestoredWorkspaces> {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'workspace', id: taskId })
    if (task.parentId === null) {
      if (!task.imported || !task.trashed) return restoreTree(taskId)
      // It has no worktree: the archive is where it was.
      await roots.untrash(taskId)
      return { restored: [], left: [] }
    }
    refuseUnlessRestorable(task)
    const line = subAgents.lineOf(task)
    if (!task.workspace?.restoring) await subAgents.refuseUnrestorable(line)
    const restored = await restoreLines([line])
    for (const { why } of restored.left) throw why
    return { restored: await ended(restored.done), left: [] }
  }

  function refuseUnlessRestorable({ title, status, archived, rootId, workspace }: Task): void {
    if (!workspace || !archived)
      refused('not-archived', `"${title}" is not in the archive: its workspace was not removed.`)
    // An earlier process began it, as part of the restore of others.
    if (workspace?.restoring) return
    if (!canStillRun(status)) {
      refused(
        'not-archived',
        `"${title}" is a sub-agent that is ${status}: it stays in the archive, with its root ${rootId}.`,
      )
    }
    const root = state.tasks.get(rootId)
    if (root?.archived || root?.workspace?.removal) {
      refused(
        'removed',
        `"${title}" is in the archive with its root. Restore that: \`shiplog workspaces restore ${shortId(rootId)}\`.`,
      )
    }
  }

  async function restoreTree(rootId: TaskId): Promise<RestoredWorkspaces> {
    const root = await roots.restorable(rootId)
    const left: NotRestored[] = []
    const lines: Archived[][] = []
    for (const task of subAgents.resumableBelow(rootId)) {
      const line = subAgents.lineOf(task)
      try {
        if (!task.workspace?.restoring) await subAgents.refuseUnrestorable(line)
        lines.push(line)
      } catch (error) {
        left.push({ taskId: task.id, title: task.title, why: messageOf(error) })
      }
    }
    const together = [root, ...new Map(lines.flat().map((one) => [one.id, one])).values()]
    await begin(together)
    try {
      await roots.restore(root)
    } catch (error) {
      // If this can't be recorded either, the next start retries.
      await recordFailure(together, [error]).catch(() => undefined)
      throw error
    }
    const below = await restoreLines(lines)
    for (const { task, why } of below.left)
      left.push({ taskId: task.id, title: task.title, why: messageOf(why) })
    return { restored: await ended([root, ...below.done]), left }
  }

  /**
   * Restores each line of descent completely; if one can't be restored, it is abandoned and the
   * others continue.
   */
  async function restoreLines(
    lines: Archived[][],
  ): Promise<{ done: Archived[]; left: { task: Archived; why: unknown }[] }> {
    await begin(lines.flat())
    const done = new Map<TaskId, Archived>()
    const left: { task: Archived; why: unknown }[] = []
    for (const line of lines) {
      try {
        for (const one of line) {
          if (state.tasks.get(one.id)?.archived)
            await deps.locks.workspace(one.id, () => subAgents.restore(one))
          done.set(one.id, one)
        }
      } catch (why) {
        const task = line.at(-1)
        if (task) left.push({ task, why })
      }
    }
    // A line may fail at one that another line restores later.
    const failed = left.filter(({ task }) => !done.has(task.id))
    const whys = failed.map(({ why }) => why)
    await recordFailure(lines.flat(), whys).catch(() => undefined)
    return { done: [...done.values()], left: failed }
  }

  async function begin(tasks: Archived[]): Promise<void> {
    const events = unique(tasks)
      .filter(({ id }) => !state.tasks.get(id)?.workspace?.restoring)
      .map(
        ({ id: workspaceId }): LedgerEvent => ({ type: 'workspace.restore-started', workspaceId }),
      )
    if (events.length > 0) await ledger.record(...events)
  }

  /** Records that the tasks whose restore did not complete stay in the archive. */
  async function recordFailure(tasks: Archived[], whys: unknown[]): Promise<void> {
    const unrecorded = whys.map(restoredUnrecorded)
    const events = unique(tasks)
      .filter(({ id }) => state.tasks.get(id)?.workspace?.restoring && !unrecorded.includes(id))
      .map(
        ({ id: workspaceId }): LedgerEvent => ({ type: 'workspace.restore-failed', workspaceId }),
      )
    if (events.length > 0) await ledger.record(...events)
  }

  /** Called once all are restored: before, files of a sub-agent may still be in the trash for a moment. */
  async function ended(restored: Archived[]): Promise<TaskId[]> {
    for (const task of restored.toReversed()) {
      await deps.leftovers.reportOfSubAgents(task).catch((error) => {
        deps.onProblem(`The leftover files below "${task.title}" could not be listed`, error)
      })
    }
    return restored.map(({ id }) => id)
  }

  return {
    restore,
    unfinished: () =>
      [...state.tasks.values()]
        .filter((task) => task.workspace?.restoring)
        .sort((a, b) => a.depth - b.depth)
        .map((task) => task.id),
  }
}

const unique = (tasks: Archived[]): Archived[] => [
  ...new Map(tasks.map((task) => [task.id, task])).values(),
]
