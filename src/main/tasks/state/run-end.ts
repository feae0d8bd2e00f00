/** Builds the ledger event for the end of a run. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks/transcript-status.ts'
import type { RunOutcome } from '../../runs/run.ts'
import type { TaskEvent } from './task-ledger.ts'

/** `endedAt` is in milliseconds since the epoch, for a run that ended before its end was recorded. */
export function endEvent(
  taskId: TaskId,
  run: number,
  outcome: RunOutcome & { transcript?: TranscriptCounts | null },
  endedAt?: number | undefined,
): TaskEvent {
  // Omitted when unknown: listeners receive exactly the value that will be read back.
  const common = {
    taskId,
    run,
    usage: outcome.usage,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(outcome.transcript ? { transcript: outcome.transcript } : {}),
  }
  const cause = outcome.cause ?? { kind: 'error', detail: 'no cause was given' }
  switch (outcome.status) {
    case 'completed':
      return { type: 'task.completed', ...common }
    case 'interrupted':
      return { type: 'task.interrupted', ...common, cause }
    case 'failed':
      return { type: 'task.failed', ...common, cause }
  }
}
