/**
 * Executes the transcript expirations in the ledger, and completes those that a crash interrupted.
 */
import { join } from 'node:path'
import { messageOf } from '../../shared/error-message.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { expireTranscript, holdsTranscript, unexpireTranscript } from '../artifacts/index.ts'
import { removeDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { expiredName, namesInTrash } from '../sessions/trash-names.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { type KeptPlace, placeOf } from './place.ts'
import { whatIs } from './trash.ts'

export interface Expiry {
  /**
   * Moves a transcript that is expired in the ledger to the trash. Resolves with false if the move
   * failed and the transcript is kept.
   */
  carryOut(taskId: TaskId): Promise<boolean>
  /** Restores a transcript and records that. Resolves with the reason for a failure, or null. */
  restoreTranscript(taskId: TaskId): Promise<string | null>
  /**
   * Runs `work` while no other call restores that task's transcript, or its whole workspace, from
   * the trash.
   */
  exclusively<T>(taskId: TaskId, work: () => Promise<T>): Promise<T>
  /**
   * Completes moves and deletions that the ledger records and a crash prevented. Problems are reported, never thrown.
   */
  rollForward(): Promise<void>
}

export function createExpiry(deps: {
  ledger: Ledger
  layout: DataLayout
  workspaces: WorkspaceService
  /** Once aborted, stops after the current transcript. */
  signal: AbortSignal
  onProblem: (text: string, error: unknown) => void
}): Expiry {
  const { ledger, layout, workspaces, signal } = deps
  const { state } = ledger
  const trashDir = (taskId: TaskId): string => join(layout.trash, expiredName(taskId))

  /**
   * Holds the lock of the directory that contains the transcript, so that the directory is not
   * moved.
   */
  async function inItsPlace<T>(
    taskId: TaskId,
    work: (place: KeptPlace) => Promise<T>,
  ): Promise<T | null> {
    for (;;) {
      const place = await placeOf(taskId, deps)
      if (!place) return null
      const done = await workspaces.exclusively(place.keeperId, async () => {
        const now = await placeOf(taskId, deps)
        // It was moved up or archived while this waited for the lock: search again.
        return now?.keeperDir === place.keeperDir ? { value: await work(place) } : null
      })
      if (done) return done.value
    }
  }

  async function carryOut(taskId: TaskId): Promise<boolean> {
    try {
      const moved = await inItsPlace(taskId, async (place) => {
        const expired = state.tasks.get(taskId)?.transcriptExpired
        // Restored while this waited.
        if (!expired || expired.purgedAt) return false
        const mark = { receiptId: expired.receiptId, atMs: Date.parse(expired.at) }
        await expireTranscript(place, taskId, trashDir(taskId), mark)
        return true
      })
      return moved === true
    } catch (error) {
      deps.onProblem(
        `The transcript of "${state.tasks.get(taskId)?.title}" could not be moved to the trash`,
        error,
      )
      await keepInPlace(taskId)
      return false
    }
  }

  /**
   * Keeps a transcript that can't be moved; if recording that fails too, the next start retries the
   * move.
   */
  async function keepInPlace(taskId: TaskId): Promise<void> {
    try {
      await inItsPlace(taskId, (place) => unexpireTranscript(place, taskId, trashDir(taskId)))
      await ledger.record({ type: 'transcript.unexpired', taskId, because: 'failure' })
    } catch (error) {
      deps.onProblem(
        `The transcript of "${state.tasks.get(taskId)?.title}" is partly in the trash; the next start continues`,
        error,
      )
    }
  }

  async function restoreTranscript(taskId: TaskId): Promise<string | null> {
    const task = state.tasks.get(taskId)
    if (!task?.transcriptExpired) return 'it has not expired'
    if (task.transcriptExpired.purgedAt || task.purged) return 'it was permanently deleted'
    if (task.trashed) return 'its workspace was deleted: restore it from the trash first'
    try {
      const there = await inItsPlace(taskId, async (place) => {
        // Another call may have restored it.
        const expired = state.tasks.get(taskId)?.transcriptExpired
        if (!expired) return 'it was restored already'
        if (expired.purgedAt) return 'it was permanently deleted'
        await unexpireTranscript(place, taskId, trashDir(taskId))
        await ledger.record({ type: 'transcript.unexpired', taskId, because: 'person' })
        return 'restored'
      })
      if (there === null) return 'the record that it belongs to is missing'
      if (there !== 'restored') return there
    } catch (error) {
      return messageOf(error)
    }
    return null
  }

  async function rollForward(): Promise<void> {
    for (const { id, transcriptExpired } of [...state.tasks.values()]) {
      if (signal.aborted) return
      if (!transcriptExpired || transcriptExpired.purgedAt) continue
      const place = await placeOf(id, deps)
      if (place && (await holdsTranscript(place, id))) await carryOut(id)
    }
    for (const name of await namesInTrash(layout.trash)) {
      if (signal.aborted) return
      if (whatIs(name, state).kind === 'gone') await deleteRest(name)
    }
  }

  async function deleteRest(name: string): Promise<void> {
    await removeDurable(join(layout.trash, name)).catch((error) =>
      deps.onProblem(`${name} could not be deleted from the trash`, error),
    )
  }

  async function exclusively<T>(taskId: TaskId, work: () => Promise<T>): Promise<T> {
    const place = await placeOf(taskId, deps)
    return workspaces.exclusively(place?.keeperId ?? taskId, work)
  }

  return { carryOut, restoreTranscript, exclusively, rollForward }
}
