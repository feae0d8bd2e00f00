/** What a task's own entries say of where it stopped. Pure. */
import type { DriftReport } from '../../../shared/drift.ts'
import type { Entry, WorkspaceSnapshotEntry } from '../../../shared/entries.ts'
import type { Task } from '../../../shared/tasks.ts'

/** The model of the last run, where the task has another one now. */
export function modelChange(task: Task, history: readonly Entry[]): DriftReport['modelChanged'] {
  const started = history.findLast((entry) => entry.type === 'run-start')
  if (started?.type !== 'run-start') return null
  const from = started.model ?? null
  return from === task.model ? null : { from, to: task.model }
}

/** Calls of the last run without an outcome. Those that the ledger answers for are reconciled instead (S3). */
export function unknownCalls(history: readonly Entry[]): number {
  const open = new Set<string>()
  for (const entry of history) {
    if (entry.type === 'run-start') open.clear()
    else if (entry.type === 'tool-call' && !answeredByLedger.has(entry.name)) open.add(entry.callId)
    else if (entry.type === 'tool-result' && entry.outcome !== 'unknown') open.delete(entry.callId)
  }
  return open.size
}

const answeredByLedger: ReadonlySet<string> = new Set(['task', 'task_await', 'task_list'])

/** The last state of the working directory that a run recorded; null when none was. */
export function lastSnapshot(history: readonly Entry[]): WorkspaceSnapshotEntry | null {
  const last = history.findLast((entry) => entry.type === 'workspace-snapshot')
  return last?.type === 'workspace-snapshot' ? last : null
}
