/** What an import finds and makes, in sentences. */
import {
  expiringDays,
  type ImportProgress,
  type ImportSourceFound,
} from '../../../shared/contract/imports.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import {
  bytes as bytesText,
  counted,
  duration as durationText,
} from '../../components/primitives/format.ts'
import type { ImportResult } from '../../store/imports/import-run.ts'

export const foundText = ({ tool, sessions, projects, bytes }: ImportSourceFound): string =>
  `${counted(sessions, 'session')} of ${toolName(tool)}, ${bytesText(bytes)}, ${counted(projects, 'project')}.`

/** Null: nothing is in danger, and nothing is hidden. */
export function dangerText({ tool, expiringSoon, hidden }: ImportSourceFound): string | null {
  const parts = [
    expiringSoon > 0
      ? `${toolName(tool)} will delete ${expiringSoon} of them within ${expiringDays} days`
      : null,
    hidden > 0
      ? `${hidden} ${hidden === 1 ? 'is' : 'are'} not listed by ${toolName(tool)} itself`
      : null,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : `${parts.join('; ')}.`
}

export function progressText(
  { sessions, sessionsTotal, bytes, bytesTotal }: ImportProgress,
  ms: number,
) {
  const perMs = ms > 0 ? bytes / ms : 0
  return [
    `${sessions} of ${counted(sessionsTotal, 'session')}`,
    `${bytesText(bytes)} of ${bytesText(bytesTotal)}`,
    ...(perMs > 0 ? [`${bytesText(Math.round(perMs * 1000))}/s`] : []),
    ...(perMs > 0 && bytes < bytesTotal
      ? [`${durationText((bytesTotal - bytes) / perMs)} left`]
      : []),
  ].join(' · ')
}

export function resultText({ sessions, skipped, stopped }: ImportResult): string {
  const added = sessions.filter(({ isNew }) => isNew).length
  const updated = sessions.filter(({ isUpdated }) => isUpdated).length
  const same = sessions.length - added - updated
  const parts = [
    `Imported ${counted(added, 'session')}`,
    updated > 0 ? `updated ${updated}` : null,
    same > 0 ? `${same} were here already` : null,
    skipped.length > 0 ? `${skipped.length} could not be read` : null,
  ].filter((part) => part !== null)
  return `${stopped ? 'Stopped. ' : ''}${parts.join(', ')}.`
}

/** What became of the lines: one quiet sentence. */
export function linesText(counts: {
  lines: number
  mapped: number
  foreign: number
  damaged: number
}): string {
  const { lines, mapped, foreign, damaged } = counts
  const damage = damaged > 0 ? `, ${counted(damaged, 'line')} could not be read` : ''
  return `${counted(lines, 'line')}: ${counted(mapped, 'is', 'are')} part of the conversation, ${counted(foreign, 'is', 'are')} kept unchanged${damage}.`
}
