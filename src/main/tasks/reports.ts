/** Returns the reports of tasks, for people and for the agents that await them. */
import type { AwaitedTask } from '../../shared/agents/tools.ts'
import { FailureError } from '../../shared/failure.ts'
import { formatCause } from '../../shared/records/causes.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Report } from '../../shared/records/tasks/reports.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { reportsDir } from '../artifacts/index.ts'
import type { TaskLedger } from './state/task-ledger.ts'

export interface Reports {
  /** Answers for live and cleaned-up tasks alike (A7); with `requestingWorkspaceId` only for its descendants (A5). */
  report(
    taskId: TaskId,
    options?: { run?: number | undefined; requestingWorkspaceId?: TaskId | undefined },
  ): Promise<Report>
  /** Returns a task as its parent sees it, with its report if it has completed. */
  awaitedTask(taskId: TaskId): Promise<AwaitedTask>
}

export function createReports(deps: { taskLedger: TaskLedger; archive: ArchiveReader }): Reports {
  const { taskLedger, archive } = deps

  async function report(
    taskId: TaskId,
    options: Parameters<Reports['report']>[1] = {},
  ): Promise<Report> {
    const { hasReport, title, status, runs } = taskLedger.get(taskId)
    const { run } = options
    archive.checkScope(taskId, options.requestingWorkspaceId)
    const found = await archive.findReport(taskId, run)
    if (found.kind === 'found') return found.report
    const what = 'report'
    if (found.kind === 'damaged') throw new FailureError({ ...found, what, id: taskId })
    if (hasReport && run === undefined) {
      // The ledger is authoritative: a missing file is damage.
      const reason = 'the ledger refers to a report that is not on disk'
      throw new FailureError({
        kind: 'damaged',
        what,
        id: taskId,
        file: reportsDir,
        reason,
      })
    }
    const cause = runs.at(-1)?.cause
    const why =
      run !== undefined
        ? `"${title}" has no report of a run ${run}.`
        : status === 'completed'
          ? `"${title}" completed without a report. Its last message is at the end of its transcript.`
          : `"${title}" has no report: it is ${status}${cause ? ` (${formatCause(cause)})` : ''}.`
    throw new FailureError({ kind: 'not-found', what, id: taskId, why })
  }

  async function awaitedTask(taskId: TaskId): Promise<AwaitedTask> {
    const { title, agent, status, cause, hasReport } = taskLedger.get(taskId)
    const known = { taskId, title, agent, status, cause, report: null }
    if (!hasReport || status !== 'completed') return known
    try {
      const { run, title, reportMarkdown } = await report(taskId)
      return { ...known, report: { run, title, markdown: reportMarkdown } }
    } catch (damage) {
      // One unreadable report must not withhold those of the others from a caller that awaits them all (T6).
      if (!(damage instanceof FailureError)) throw damage
      return { ...known, cause: { kind: 'error', detail: damage.message } }
    }
  }

  return { report, awaitedTask }
}
