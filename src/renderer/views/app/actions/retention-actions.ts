import type { RetentionSettings } from '../../../../shared/contract/retention.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { counted } from '../../../components/primitives/format.ts'
import { toast } from '../../../components/primitives/index.ts'
import type { Stores } from '../../../store/stores.ts'
import { attempt, readShownMs, showOutcome } from '../toasts.ts'

export interface RetentionActions {
  saveRetention(settings: RetentionSettings): Promise<void>
  /** Runs a sweep; the toast offers to undo it. `clockIsRight`: the user confirmed a clock that jumped ahead. */
  cleanUp(clockIsRight: boolean): Promise<void>
  /** Restores the transcripts of a receipt from the trash, or only that of `taskId`. */
  undoSweep(receiptId: string, taskId?: TaskId): Promise<boolean>
  /** Moves only the transcript of a root or a sub-agent to the trash; its report stays. The toast offers to undo it. */
  deleteTranscript(taskId: TaskId, title: string): Promise<void>
  /** A pinned task is kept with everything below it. */
  pin(taskId: TaskId, pinned: boolean): Promise<void>
}

export function createRetentionActions({
  appInfo,
  client,
}: Pick<Stores, 'appInfo' | 'client'>): RetentionActions {
  async function undoSweep(receiptId: string, taskId?: TaskId): Promise<boolean> {
    const undone = await attempt('restore it from the trash', () =>
      client.retention.undo({ receiptId, taskId }),
    )
    if (!undone) return false
    // The notice of the sweep is obsolete.
    void appInfo.load()
    showOutcome(
      `Restored ${counted(undone.restored.length, 'transcript')}.`,
      'restored',
      undone.left,
    )
    return true
  }

  return {
    undoSweep,
    async saveRetention(settings) {
      const saved = await attempt('save the settings', () => client.retention.setSettings(settings))
      if (saved) toast.success('Saved. Takes effect at the next clean-up.')
    },
    async cleanUp(clockIsRight) {
      const sweep = await attempt('clean up', () => client.retention.sweep({ clockIsRight }))
      if (!sweep) return
      // The notice about the clock is obsolete.
      if (clockIsRight) void appInfo.load()
      const { receipt, removed } = sweep
      const moved = removed.filter((item) => item.kind === 'transcript').length
      const deleted = removed.length - moved
      const sentences = [
        moved > 0 ? `Moved ${counted(moved, 'transcript')} to the trash.` : null,
        deleted > 0 ? `Permanently deleted ${counted(deleted, 'item')}.` : null,
      ].filter((text) => text !== null)
      toast(sentences.join(' ') || 'Nothing to remove.', {
        duration: readShownMs,
        ...(receipt && moved > 0
          ? { action: { label: 'Undo', onClick: () => void undoSweep(receipt) } }
          : {}),
      })
    },
    async deleteTranscript(taskId, title) {
      const answer = await attempt('delete the transcript', () =>
        client.retention.deleteTranscripts({ taskIds: [taskId] }),
      )
      if (!answer) return
      const { receipt, left } = answer
      if (!receipt)
        return void toast.error('The transcript was kept.', { description: left[0]?.why })
      toast(`Moved the transcript of “${title}” to the trash.`, {
        duration: readShownMs,
        action: { label: 'Undo', onClick: () => void undoSweep(receipt, taskId) },
      })
    },
    async pin(taskId, pinned) {
      await attempt(pinned ? 'pin it' : 'unpin it', () => client.retention.pin({ taskId, pinned }))
    },
  }
}
