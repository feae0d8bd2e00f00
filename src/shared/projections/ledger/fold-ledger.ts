/**
 * Folds ledger records into projects and tasks. Pure: no clock, no I/O. The main process, the renderer,
 * the stories and the tests use this one fold, so live view and restart can't disagree.
 */

import { modelOfSpec, withModelRef } from '../../agents/agent-specs.ts'
import { assertNever } from '../../assert-never.ts'
import type { TaskId } from '../../records/ids.ts'
import type { LedgerEvent, LedgerEventOf, LedgerRecord } from '../../records/ledger.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { TranscriptExpiry } from '../../records/tasks/transcript-status.ts'
import { createdTask } from './created-task.ts'
import { foldFileUpdate } from './fold-file-updates.ts'
import { foldImport } from './fold-import.ts'
import { foldLimits } from './fold-limits.ts'
import { foldProjectEvent } from './fold-project.ts'
import { addWaitingPrompt, withoutPrompt } from './fold-prompts.ts'
import { foldReview, foldSentComments, foldUnsentComments } from './fold-review.ts'
import { foldRunEnd, foldRunStart } from './fold-runs.ts'
import { foldWorkspace } from './fold-workspace.ts'
import { foldClock } from './ledger-clock.ts'
import type { LedgerState } from './ledger-state.ts'

/** Folds one record in place. Records must come in order of `seq`; a record that was folded before is ignored. */
export function foldLedgerRecord(state: LedgerState, record: LedgerRecord): void {
  if (record.seq <= state.seq) return
  const { event } = record
  const at = ('endedAt' in event && event.endedAt) || record.at
  foldEvent(state, event, new Date(at).toISOString(), new Date(record.at).toISOString())
  state.clock = foldClock(state.clock, record)
  state.seq = record.seq
}

function foldEvent(
  state: LedgerState,
  event: LedgerEvent,
  /** When it happened. */
  at: string,
  recordedAt: string,
): void {
  switch (event.type) {
    case 'project.added':
    case 'project.moved':
    case 'project.identified':
    case 'project.removed':
    case 'project.setup-trusted':
    case 'project.environment-set':
    case 'project.sandbox-set':
    case 'project.git-config-allowed':
    case 'project.agent-config-allowed':
      return foldProjectEvent(state, event, at)
    case 'task.created':
      state.tasks.set(event.taskId, createdTask(state, event, at))
      return
    case 'tasks.imported':
      return foldImport(state, event, recordedAt)
    case 'task.spawned':
    case 'task.resumed':
      return change(state, event.taskId, (task) => foldRunStart(task, event, at))
    case 'task.completed':
    case 'task.interrupted':
    case 'task.failed':
      return change(state, event.taskId, (task) => foldRunEnd(task, event, { at, recordedAt }))
    case 'review.commented':
    case 'review.comment-changed':
    case 'review.comment-removed':
      return change(state, event.taskId, (task) => foldReview(task, event, at))
    case 'task.prompted':
      foldSentComments(state, event, at)
      return change(state, event.taskId, (task) => ({
        waitingPrompts: addWaitingPrompt(task, event, at),
      }))
    case 'task.prompt-delivered':
    case 'task.prompt-withdrawn':
      if (event.type === 'task.prompt-withdrawn') foldUnsentComments(state, event)
      return change(state, event.taskId, (task) => ({
        waitingPrompts: withoutPrompt(task, event.promptId),
      }))
    case 'task.reported':
      return change(state, event.taskId, () => ({
        hasReport: true,
        reportTitle: event.title,
        reportedRun: event.run,
      }))
    case 'task.blocked':
      return change(state, event.taskId, () => ({ status: 'blocked', cause: event.cause }))
    case 'task.requeued':
      return change(state, event.taskId, () => ({ status: 'queued', cause: null, endedAt: null }))
    case 'task.cancelled':
      return change(state, event.taskId, () => ({
        status: 'cancelled',
        conflictsFound: undefined,
        cause: event.cause,
        endedAt: at,
      }))
    case 'task.abandoned':
      return change(state, event.taskId, () => ({
        status: 'abandoned',
        conflictsFound: undefined,
        cause: event.cause,
      }))
    case 'task.conflicts-found':
      return change(state, event.taskId, ({ status }) => {
        const { files } = event
        // The check may end after another resume has started the task.
        if (status !== 'interrupted' && status !== 'queued') return {}
        return { conflictsFound: files === 0 ? undefined : { files, at } }
      })
    case 'task.patch-changed':
      return change(state, event.taskId, () => ({ patch: event.status }))
    case 'files.update-started':
    case 'files.updated':
    case 'files.update-rolled-back':
      return change(state, event.taskId, (task) => foldFileUpdate(state, task, event, at))
    case 'workspace.created':
    case 'workspace.removal-advanced':
    case 'workspace.leftovers-kept':
    case 'workspace.restore-started':
    case 'workspace.restore-failed':
    case 'workspace.restored':
      return change(state, event.workspaceId, (task) => foldWorkspace(state, task, event, at))
    case 'workspace.trashed':
      return changeTree(state, event.workspaceId, { trashed: true, trashedAt: at })
    case 'workspace.untrashed':
      return changeTree(state, event.workspaceId, { trashed: false, trashedAt: null })
    case 'workspace.purged':
      return changeTree(state, event.workspaceId, { purged: true, reviewComments: undefined })
    case 'task.renamed':
      return change(state, event.taskId, () => ({ title: event.title }))
    case 'task.permissions-set': {
      const { permissions } = event
      return change(state, event.taskId, ({ options }) => ({
        options: { ...options, permissions },
      }))
    }
    case 'task.model-set':
      return change(state, event.taskId, ({ spec: before }) => {
        const spec = before.kind === 'model' ? withModelRef(before, event.model) : before
        return { spec, model: modelOfSpec(spec) }
      })
    case 'task.compaction-set':
      return change(state, event.taskId, () => ({
        compactionWanted: event.wanted || undefined,
      }))
    case 'task.budget-set':
    case 'task.budget-reached':
    case 'task.sleep-started':
    case 'task.sleep-ended':
      return change(state, event.taskId, (task) => foldLimits(task, event, at))
    case 'task.pinned':
      return change(state, event.taskId, () => ({ pinned: true }))
    case 'task.unpinned':
      return change(state, event.taskId, () => ({ pinned: false }))
    case 'transcript.appended':
      // A running task records all counts at the end of its run.
      return change(state, event.taskId, ({ status, transcriptCounts }) =>
        isRunning(status) || (transcriptCounts?.bytes ?? 0) > event.transcript.bytes
          ? {}
          : { transcriptCounts: event.transcript },
      )
    case 'transcript.expired':
      return change(state, event.taskId, () => ({ transcriptExpired: expiryOf(event, at) }))
    case 'transcript.unexpired':
      return change(state, event.taskId, (task) => ({
        transcriptExpired: null,
        transcriptRestoredAt: event.because === 'person' ? at : task.transcriptRestoredAt,
      }))
    case 'transcript.purged':
      return change(state, event.taskId, ({ transcriptExpired }) => ({
        transcriptExpired: transcriptExpired && { ...transcriptExpired, purgedAt: at },
      }))
    case 'retention.swept':
    case 'clock.confirmed':
      return
    default:
      assertNever(event)
  }
}

function expiryOf(event: LedgerEventOf<'transcript.expired'>, at: string): TranscriptExpiry {
  const { receiptId, byPerson } = event
  const keptUntil = new Date(event.keptUntil).toISOString()
  return { receiptId, at, keptUntil, ...(byPerson ? { byPerson } : {}), purgedAt: null }
}

function change(state: LedgerState, id: TaskId, fields: (task: Task) => Partial<Task>): void {
  const task = state.tasks.get(id)
  if (task) state.tasks.set(id, { ...task, ...fields(task) })
}

function changeTree(state: LedgerState, rootId: TaskId, fields: Partial<Task>): void {
  for (const task of state.tasks.values()) {
    if (task.rootId === rootId) state.tasks.set(task.id, { ...task, ...fields })
  }
}
