/** Formats the drift report: the selected tasks, and below each the changes since it stopped. */
import { formatCause } from '../../../../shared/records/causes.ts'
import {
  type DriftConflict,
  type DriftReport,
  describeDrift,
} from '../../../../shared/records/drift.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { ResumeCandidate } from '../../../../shared/records/resume.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { stateWidth } from '../follow/state-lines.ts'
import type { Output, TextStyle } from '../terminal/output.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { padEnd, truncate } from '../terminal/text-width.ts'
import { ago, statusWording } from '../terminal/wording.ts'
import { paragraph } from '../terminal/wrap.ts'

/** `--json` lists all. */
const conflictsListedMax = 20
const conflictsInSentenceMax = 6
const titleWidthMin = 16

/** Returns lines styled for `out`. `task` is the candidate's state in the record. */
export function driftLines(
  candidate: ResumeCandidate,
  task: Task | undefined,
  out: Output,
  now: number,
): string[] {
  const { drift, obstacle, depth } = candidate
  const indent = stateWidth + 1 + 2 * depth
  const lines = [headLine(candidate, out)]
  const add = (text: string, style: TextStyle | null = null) => {
    for (const line of paragraph(safeLine(text), { lead: indent, columns: out.columns }))
      lines.push(style === null ? line : out.style(style, line))
  }
  const stopped = task ? stoppedText(task, now) : null
  if (stopped !== null) add(stopped, 'dim')
  if (obstacle !== null) add(obstacle, 'red')
  const sentences = describeDrift(drift)
  const warnings = new Set(describeDrift(onlyConflicts(drift)))
  for (const sentence of sentences) add(sentence, warnings.has(sentence) ? 'yellow' : null)
  for (const line of conflictList(drift)) add(line, 'yellow')
  if (sentences.length === 0 && obstacle === null && candidate.status !== 'queued')
    add('Nothing has changed since.')
  return lines
}

function headLine({ status, title, agent, taskId, depth }: ResumeCandidate, out: Output): string {
  const { sign, word, style } = statusWording[status]
  const who = `(${safeLine(agent)}, ${shortId(taskId)})`
  const indent = stateWidth + 1 + 2 * depth
  const room = out.columns === null ? null : out.columns - indent - who.length - 1
  const name = safeLine(title)
  const shown = room === null ? name : truncate(name, Math.max(titleWidthMin, room))
  return `${out.style(style, padEnd(`${sign} ${word}`, stateWidth))} ${' '.repeat(2 * depth)}${out.style('bold', shown)} ${out.style('dim', who)}`
}

function stoppedText({ status, endedAt, cause, runs }: Task, now: number): string | null {
  if (status === 'queued') return 'Not started.'
  if (status !== 'interrupted') return null
  const run = runs.length > 1 ? ` in run ${runs.length}` : ''
  const why = cause === null ? '' : `: ${formatCause(cause).replace(/\.$/, '')}`
  return `Stopped ${ago(endedAt, now)}${run}${why}.`
}

/** Returns the report with its conflicts only, to find out which sentences are about these. */
const onlyConflicts = (drift: DriftReport): DriftReport => ({
  ...drift,
  headMoved: null,
  ownHeadMoved: null,
  branchChanged: null,
  missing: [],
  dirty: [],
  dirtyMore: undefined,
  modelChanged: null,
  unknownCalls: [],
  notCompared: null,
})

/** Lists the conflicts if there are more than a sentence names. */
function conflictList({ conflicts }: DriftReport): string[] {
  if (conflicts.length <= conflictsInSentenceMax) return []
  const rest = conflicts.length - conflictsListedMax
  return [
    ...conflicts.slice(0, conflictsListedMax).map(nameConflict),
    ...(rest > 0 ? [`and ${rest} more; --json lists them all`] : []),
  ]
}

const nameConflict = ({ path, change, changedBy }: DriftConflict): string =>
  `${path} (${change} by ${changedBy.name})`
