/** Locates a task's files: in its own session directory, in an ancestor's, or in the archive. */
import { basename, join } from 'node:path'
import { FailureError, refused } from '../../shared/failure.ts'
import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import { shortId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { archivedTranscriptDir, transcriptsDir } from '../artifacts/index.ts'
import { exists, explain, refuseSymlink, systemCode } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { chatFile, type DataLayout, partialFile } from '../sessions/session-files.ts'

export interface TranscriptPlace {
  dir: string
  source: 'live' | 'archived'
}

export type ArchivePlaces = ReturnType<typeof createArchivePlaces>

export function createArchivePlaces({ ledger, layout }: { ledger: Ledger; layout: DataLayout }) {
  const { state } = ledger

  /** Throws FailureError: not-found. */
  function known(taskId: TaskId): Task {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    return task
  }

  /** Returns the task's session directory, or a root's archived one; null if neither exists. */
  async function sessionHome(taskId: TaskId): Promise<string | null> {
    const places = [layout.sessionDir(taskId)]
    // A task that is missing in a damaged ledger may have been a root as well.
    if (!state.tasks.get(taskId)?.parentId) places.push(layout.archiveDir(taskId))
    for (const place of places) if (await exists(place)) return place
    return null
  }

  /**
   * Returns the existing directories that may hold the task's artifacts: those of its ancestors,
   * parent first, or a root's own.
   */
  async function keepers(taskId: TaskId): Promise<string[]> {
    const task = known(taskId)
    const ids = task.parentId === null ? [taskId] : ancestorsOf(state, taskId)
    const homes = await Promise.all(ids.map(sessionHome))
    return homes.filter((home) => home !== null)
  }

  /** Returns null if no directory of the task exists any more. */
  async function findTranscript(taskId: TaskId): Promise<TranscriptPlace | null> {
    const live = layout.sessionDir(taskId)
    const home = await sessionHome(taskId)
    if (home) await refuseLinks('transcript', taskId, [home])
    // During a removal its directory still exists, but its transcript may have moved up already.
    if (home && (home !== live || (await holdsTranscript(home))))
      return { dir: home, source: home === live ? 'live' : 'archived' }
    for (const keeper of await keepers(taskId)) {
      const dir = archivedTranscriptDir(keeper, taskId)
      await refuseLinks('transcript', taskId, [keeper, join(keeper, transcriptsDir), dir])
      if (await (home ? holdsTranscript(dir) : exists(dir))) return { dir, source: 'archived' }
    }
    return home === null ? null : { dir: home, source: 'live' }
  }

  /** Returns what `read` finds in the task's transcript, wherever that is; null if it finds nothing. */
  async function readFound<Found>(
    taskId: TaskId,
    read: (place: TranscriptPlace) => Promise<Found | null>,
  ): Promise<Found | null> {
    const task = known(taskId)
    if (!task.transcriptExpired) refuseTrashed(task)
    for (let seenIn: string | null | undefined; ; ) {
      const place = await findTranscript(taskId)
      const found = place && (await read(place))
      if (found !== null) return found
      // If it was moved meanwhile, a second search finds it.
      const dir = place?.dir ?? null
      if (dir === seenIn) return null
      seenIn = dir
    }
  }

  return { known, sessionHome, keepers, findTranscript, readFound }
}

/** A transcript in the trash is neither lost nor empty: the error explains how to restore it. */
export function refuseTrashed({ title, rootId, trashed, purged }: Task): void {
  if (!trashed) return
  refused(
    'removed',
    purged
      ? `"${title}" was deleted, and its time in the trash is over.`
      : `"${title}" is in the trash. \`shiplog workspaces restore ${shortId(rootId)}\` restores it.`,
  )
}

/** Refuses symbolic links in these paths, because they could lead to another user's files (A3). */
export async function refuseLinks(
  what: 'report' | 'transcript',
  id: TaskId,
  paths: string[],
): Promise<void> {
  for (const path of paths) {
    await refuseSymlink(path).catch((error) => {
      if (systemCode(error) !== 'ELOOP') throw error
      const reason = explain('ELOOP')
      throw new FailureError({ kind: 'damaged', what, id, file: basename(path), reason })
    })
  }
}

export async function holdsTranscript(dir: string): Promise<boolean> {
  return (await exists(join(dir, chatFile))) || (await exists(join(dir, partialFile)))
}
