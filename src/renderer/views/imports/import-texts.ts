/** The sentences about imports: what was found, the progress and the result. */
import type {
  ImportProgress,
  ImportSourceFound,
  ReportedCommit,
} from '../../../shared/contract/imports.ts'
import { expiringText, toolName } from '../../../shared/text/import-text.ts'
import {
  bytes as bytesText,
  counted,
  duration as durationText,
  exactCount,
} from '../../components/primitives/format.ts'
import type { ImportResult } from '../../store/imports/import-run.ts'

export const foundText = ({ tool, sessions, projects, bytes }: ImportSourceFound): string =>
  `${counted(sessions, 'session')} of ${toolName(tool)}, ${bytesText(bytes)}, ${counted(projects, 'project')}.`

/** Null if no session expires soon or is hidden. */
export function dangerText(source: ImportSourceFound): string | null {
  const { tool, expiringSoon, hidden } = source
  const parts = [
    expiringSoon > 0 ? expiringText(source) : null,
    hidden > 0
      ? `${hidden} ${hidden === 1 ? 'is' : 'are'} in its folder, but not in the list that ${toolName(tool)} shows`
      : null,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : `${parts.join('; ')}.`
}

/** A rate measured over a shorter time does not predict the rest. */
const rateMsMin = 2_000

export function progressText(
  { sessions, sessionsTotal, bytes, bytesTotal }: ImportProgress,
  ms: number,
) {
  const perMs = ms >= rateMsMin ? bytes / ms : 0
  return [
    `${sessions} of ${counted(sessionsTotal, 'session')}`,
    `${bytesText(bytes)} of ${bytesText(bytesTotal)}`,
    ...(perMs > 0 ? [`${bytesText(Math.round(perMs * 1000))}/s`] : []),
    ...(perMs > 0 && bytes < bytesTotal
      ? [`${durationText((bytesTotal - bytes) / perMs)} left`]
      : []),
  ].join(' · ')
}

export function resultText({ sessions, skipped, ended }: ImportResult): string {
  const added = sessions.filter(({ isNew }) => isNew).length
  const updated = sessions.filter(({ isUpdated }) => isUpdated).length
  const same = sessions.length - added - updated
  const parts = [
    `Imported ${counted(added, 'session')}`,
    updated > 0 ? `updated ${updated}` : null,
    same > 0 ? `${exactCount(same)} ${same === 1 ? 'was' : 'were'} already in the archive` : null,
    skipped.length > 0 ? `${skipped.length} could not be read` : null,
  ].filter((part) => part !== null)
  return `${ended === 'done' ? '' : 'Stopped. '}${parts.join(', ')}.`
}

/** How many lines of a log became part of the conversation, were kept as they are, or could not be read. */
export function linesText(counts: {
  lines: number
  mapped: number
  foreign: number
  damaged: number
}): string {
  const { lines, mapped, foreign, damaged } = counts
  if (lines === 0) return ''
  if (mapped === lines)
    return `${lines === 1 ? '1 line, which is' : `${counted(lines, 'line')}, all`} part of the conversation.`
  const parts = [
    mapped > 0 ? `${counted(mapped, 'is', 'are')} part of the conversation` : null,
    foreign > 0 ? `${counted(foreign, 'is', 'are')} records of the tool, kept unchanged` : null,
    damaged > 0 ? `${counted(damaged, 'line')} could not be read` : null,
  ].filter((part) => part !== null)
  return `${counted(lines, 'line')}: ${parts.join(', ')}.`
}

const reporters: Readonly<Record<ReportedCommit['by'], string>> = {
  'git-ai': 'Git AI',
  entire: 'entire',
}
export const reporterName = (by: ReportedCommit['by']): string => reporters[by]

/** Which tools attribute commits to a session, and how many each. */
export function reportedText(commits: readonly ReportedCommit[]): string {
  const parts = (['git-ai', 'entire'] as const).flatMap((by) => {
    const number = commits.filter((one) => one.by === by).length
    return number === 0 ? [] : [`${reporterName(by)} reports ${counted(number, 'commit')} from it`]
  })
  return `${parts.join(', ')}.`
}
