/** A task as it was at a moment, as far as its present state in the ledger tells. Pure. */
import type { TaskStatus } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { noUsage } from '../../records/usage.ts'

/** The task's status at that time, by its runs; null before the first. */
export function statusAt({ runs, status }: Task, atMs: number): TaskStatus | null {
  const run = runs.findLast(({ startedAt }) => Date.parse(startedAt) <= atMs)
  if (!run) return null
  if (run.endedAt === null || Date.parse(run.endedAt) > atMs) return 'spawned'
  // The task may have been abandoned after its last run ended; until then it had the status of that run.
  return run.status === 'running' ? status : run.status
}

/** Null: it did not exist yet. What has no time in the ledger, such as its usage, is left out of an earlier state. */
export function taskAt(task: Task, atMs: number): Task | null {
  const isBefore = (time: string | null) => time !== null && Date.parse(time) <= atMs
  if (!isBefore(task.createdAt)) return null
  const { patch, runs: allRuns } = task
  const runs = allRuns
    .filter(({ startedAt }) => isBefore(startedAt))
    .map((run) =>
      // Up to the moment, so that its time is that of the moment.
      isBefore(run.endedAt) ? run : { ...run, endedAt: new Date(atMs).toISOString() },
    )
  const last = runs.at(-1)
  const status = statusAt(task, atMs)
  const isPast =
    runs.length < allRuns.length || status === 'spawned' || (!last && task.status !== 'queued')
  // When changes were applied is not known.
  const applicable = patch === 'applied' ? 'ready' : patch
  if (!isPast) return { ...task, patch: applicable }
  const { sleep: _, sleepEnded: __, conflictsFound: ___, ...kept } = task
  return {
    ...kept,
    status: status ?? 'queued',
    runs,
    startedAt: runs[0]?.startedAt ?? null,
    endedAt: status === 'spawned' ? null : (last?.endedAt ?? null),
    cause: status === 'spawned' ? null : (last?.cause ?? null),
    hasReport: false,
    reportTitle: null,
    patch: 'none',
    usage: noUsage,
  }
}
