/** The history as the service brings it up to date, without its files. */
import { historyEntries } from '../../../src/main/tasks/agent-history/entries.ts'
import {
  emptyHistory,
  type HistoryDocument,
  type HistoryEntry,
  parseHistory,
} from '../../../src/main/tasks/agent-history/format.ts'
import { mergeEntries } from '../../../src/main/tasks/agent-history/merge.ts'
import { pruneEntries } from '../../../src/main/tasks/agent-history/prune.ts'
import type { TestLedger } from './ledger-of.ts'

/** One pass over the file, as the service does it. */
export function bringUpToDate(ledger: TestLedger, document: HistoryDocument): HistoryDocument {
  const { entries, max_entries: max } = document
  const named = new Set(entries.map((entry) => (entry as HistoryEntry | null)?.agent_id))
  const agents = historyEntries(ledger.state, ledger.projectId, {
    max,
    isNamed: (id) => named.has(id),
    findingsOf: () => undefined,
  })
  return { ...document, entries: pruneEntries(mergeEntries(entries, agents), max) }
}

/** What a first pass writes, without a file before it. */
export const fresh = (ledger: TestLedger): HistoryEntry[] =>
  bringUpToDate(ledger, emptyHistory()).entries as HistoryEntry[]

/** As it is read from a file. */
export const parsed = (value: unknown): HistoryDocument => {
  const read = parseHistory(JSON.stringify(value))
  if (read.kind !== 'ok') throw new Error(`it is ${read.kind}`)
  return read.document
}

/** Who is in it, and how each stands. */
export const standing = (entries: unknown[]) =>
  (entries as HistoryEntry[]).map(({ agent_id, status }) => [agent_id, status])
