/**
 * Archived sub-agents that can be resumed (R6). Their transcript is among an ancestor's artifacts,
 * in a root that is in use again; a restore moves it back into its own session directory and
 * recreates the worktree.
 */
import { readdir } from 'node:fs/promises'
import { refused } from '../../../shared/failure.ts'
import { ancestorsOf, descendantsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { canStillRun } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import {
  archivedTranscriptDir,
  archiveTranscript,
  holdsTranscript,
  type PatchEntry,
  patchIndex,
  returnTranscript,
} from '../../artifacts/index.ts'
import { exists, removeDurable } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { recordRestored } from './record-restored.ts'
import type { Archived, ArchivedWorktrees } from './worktrees.ts'

export interface ArchivedSubAgents {
  /** Returns the sub-agents below a task that can be resumed once restored, parents first. */
  resumableBelow(taskId: TaskId): Task[]
  /**
   * Returns a sub-agent and its archived ancestors, topmost first, without the root: a report and a
   * clean-up need the parent's session directory.
   */
  lineOf(task: Task): Archived[]
  /**
   * Throws FailureError with the reason why one of a line can't be restored, before anything is
   * changed.
   */
  refuseUnrestorable(line: Archived[]): Promise<void>
  /**
   * Restores a sub-agent whose restore is recorded as begun. Rejects with the reason for a failure,
   * after which it is unchanged.
   */
  restore(task: Archived): Promise<void>
}

export function createArchivedSubAgents(deps: {
  ledger: Ledger
  layout: DataLayout
  records: Pick<ArchiveReader, 'sessionHome'>
  worktrees: ArchivedWorktrees
  clock: () => number
}): ArchivedSubAgents {
  const { ledger, layout, worktrees } = deps
  const { state } = ledger

  async function refuseUnrestorable(line: Archived[]): Promise<void> {
    for (const task of line) {
      await refuseWithoutTranscript(task)
      await worktrees.refuseUnrestorable(task, await keptPatch(task))
    }
  }

  async function refuseWithoutTranscript(task: Archived): Promise<void> {
    const { id, title, runs, transcriptCounts, transcriptExpired: expired } = task
    if (expired && canStillRun(task.status)) {
      const remedy =
        expired.purgedAt === null
          ? `Restore it first: \`shiplog prune --undo ${expired.receiptId}\`.`
          : 'It was permanently deleted: start a new agent instead.'
      return refused('removed', `The transcript of "${title}" has expired. ${remedy}`)
    }
    if (runs.length === 0 || transcriptCounts?.bytes === 0 || expired) return
    const keeperDir = await keeperOf(task)
    if (keeperDir === null || !(await holdsTranscript({ keeperDir, own: false }, id)))
      refused('removed', `The transcript of "${title}" is gone: start a new agent instead.`)
  }

  async function restore(task: Archived): Promise<void> {
    const { id } = task
    const keeper = await keeperOf(task)
    const own = layout.sessionDir(id)
    if (keeper !== null) await returnTranscript(keeper, own, id)
    let branch: string | null
    try {
      branch = await worktrees.restore(task, await keptPatch(task))
    } catch (error) {
      // If that fails too, the transcript stays in its own session directory, where it is found.
      await rearchive(task).catch(() => undefined)
      throw error
    }
    await recordRestored(ledger, { id, branch })
  }

  async function rearchive({ id, title, parentId, transcriptCounts }: Archived): Promise<void> {
    if (parentId === null) return
    await archiveTranscript(layout.sessionDir(id), layout.sessionDir(parentId), {
      taskId: id,
      ancestorIds: ancestorsOf(state, id),
      title,
      nowMs: deps.clock(),
      counted: transcriptCounts,
    })
    const own = layout.sessionDir(id)
    if ((await exists(own)) && (await readdir(own)).length === 0) await removeDurable(own)
  }

  /**
   * Returns the session directory of the ancestor that its artifacts rolled up into; null if none
   * has its transcript.
   */
  async function keeperOf({ id }: Task): Promise<string | null> {
    for (const dir of await keepers(id))
      if (await exists(archivedTranscriptDir(dir, id))) return dir
    return null
  }

  async function keptPatch({ id }: Task): Promise<PatchEntry | null> {
    for (const dir of await keepers(id)) {
      const patch = await patchIndex(dir).get(id)
      if (patch) return patch
    }
    return null
  }

  async function keepers(id: TaskId): Promise<string[]> {
    const homes = await Promise.all(ancestorsOf(state, id).map(deps.records.sessionHome))
    return homes.filter((home) => home !== null)
  }

  return {
    resumableBelow: (taskId) =>
      descendantsOf(state, taskId)
        .filter(
          ({ archived, status, transcriptExpired }) =>
            // A failed one is rarely run again, so without its transcript it stays in the archive.
            archived && canStillRun(status) && (status !== 'failed' || transcriptExpired === null),
        )
        .sort((a, b) => a.depth - b.depth),
    lineOf: (task) =>
      [...ancestorsOf(state, task.id).reverse(), task.id]
        .flatMap((id) => state.tasks.get(id) ?? [])
        .flatMap(({ workspace, ...one }) =>
          workspace && one.archived && one.parentId !== null ? [{ ...one, workspace }] : [],
        ),
    refuseUnrestorable,
    restore,
  }
}
