/** Prints the result of a resume, as the document of CLI.md or for people. */

import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import { formatCause } from '../../../../shared/records/causes.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../../shared/records/resume.ts'
import type { CliContext } from '../context.ts'
import { causeJson } from '../task-json.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { type Row, renderTable } from '../terminal/table.ts'
import { elapsed, statusWording } from '../terminal/wording.ts'
import { othersInterrupted } from './conflicts.ts'
import type { Plan } from './resume-selector.ts'

/** Returns the document with all selected tasks. Its field `begun` states whether a run started. */
export function documentOf(
  { candidates }: Plan,
  state: LedgerState,
  result: { dryRun: boolean; ends?: ResumeEnd[]; refused?: ResumeOutcome['refused'] },
): object {
  const { dryRun, ends = [], refused = [] } = result
  const resumed = candidates.map(({ taskId, parentId, title, agent, drift, obstacle }) => {
    const task = state.tasks.get(taskId)
    const end = ends.find((one) => one.taskId === taskId)
    return {
      taskId,
      run: task?.runs.at(-1)?.run ?? 0,
      drift,
      status: end?.status ?? task?.status,
      parentId,
      title,
      agent,
      obstacle,
      begun: end !== undefined,
      cause: causeJson(end ? end.cause : (task?.cause ?? null)),
    }
  })
  const taskIds = candidates.map(({ taskId }) => taskId)
  return {
    dryRun,
    resumed,
    refused: refused.map(({ taskId, reason, message }) => ({ taskId, reason, message })),
    notResumed: othersInterrupted(state, taskIds).map(({ id }) => id),
  }
}

/** Prints how several tasks ended, on standard output. */
export async function printEnds(
  { out, say, host }: CliContext,
  ends: ResumeEnd[],
  state: LedgerState,
): Promise<void> {
  const rows = ends.flatMap((end): Row[] => {
    const task = state.tasks.get(end.taskId)
    if (!task) return []
    const { sign, word, style } = statusWording[end.status]
    const run = task.runs.at(-1)
    const row = [
      { text: `${sign} ${word}`, style },
      safeLine(task.title),
      safeLine(task.agent),
      shortId(task.id),
      String(end.run),
      elapsed(run?.startedAt ?? null, run?.endedAt ?? null, host.now()),
    ]
    return end.cause === null
      ? [row]
      : [row, { note: safeLine(formatCause(end.cause)), under: 1, lead: '  ' }]
  })
  if (out.isTTY) await say('')
  await out.write(renderTable(columns, rows, out))
  const reported = ends.find(({ taskId }) => state.tasks.get(taskId)?.hasReport)
  if (reported) await say(`\`shiplog tasks report ${shortId(reported.taskId)}\` prints a report.`)
}

const columns = [
  { title: 'STATUS' },
  { title: 'TASK', shrinks: true },
  { title: 'AGENT' },
  { title: 'ID' },
  { title: 'RUN', align: 'right' as const },
  { title: 'TOOK', align: 'right' as const },
]
