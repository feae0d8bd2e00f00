/**
 * Detects transcripts that lost their last entries: a truncated journal is valid, but the ledger
 * records that the run ended.
 */
import type { TranscriptPage } from '../../shared/contract/workspace.ts'
import type { EntryType } from '../../shared/records/entries.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { chatFile } from '../sessions/session-files.ts'

/** Returns the task's last run if it ended regularly: its transcript then ends with a `run-end`. */
export function endedRunOf({ runs, imported }: Task): number | null {
  // An imported export may contain only part of a run.
  if (imported) return null
  const last = runs.at(-1)
  return last?.status === 'completed' || last?.status === 'failed' ? last.run : null
}

/** Reports whether the page should contain the end of run `run` and does not. */
export function lacksEnd(page: TranscriptPage, run: number): boolean {
  if (page.nextSeq !== null || page.status !== 'complete') return false
  const last = page.entries.findLast(({ type }) => type === 'run-end' || partOfRun.has(type))
  // This page has no entry of a run: only the whole transcript shows whether one exists.
  if (!last) return page.entries.length === page.total
  return last.type !== 'run-end' || last.run < run
}

/** Entries after which a finished run must have more. */
const partOfRun: ReadonlySet<EntryType> = new Set([
  'run-start',
  'message',
  'tool-call',
  'tool-result',
  'file-history-snapshot',
  'attribution-snapshot',
  'workspace-snapshot',
  'snapshot-failed',
])

export function withoutEnd(page: TranscriptPage, run: number): TranscriptPage {
  const reason = `the end is missing: run ${run} has ended, but the last entries do not record it`
  const damage = [{ file: chatFile, line: page.total + 1, bytes: 0, reason }]
  return { ...page, status: 'damaged', damage }
}
