/** Applies a filter to the entries of a transcript, one after the other. Pure. */
import {
  type FilterAnswer,
  filterChoicesMax,
  filterDirsMax,
  filteredEntriesMax,
} from '../../contract/transcripts/filter.ts'
import type { Entry } from '../../records/entries.ts'
import type { EntryId } from '../../records/ids.ts'
import {
  createFilterUnits,
  type FilterUnit,
  matchesFilter,
  type TranscriptFilter,
} from './filter-units.ts'

interface FilterFold {
  add(entry: Entry): void
  answer(): FilterAnswer
}

export function createFilterFold(filter: TranscriptFilter): FilterFold {
  const units = createFilterUnits()
  const kinds = { messages: 0, tools: 0, edits: 0, errors: 0, changes: 0 }
  const tools = new Map<string, number>()
  const files = new Map<string, number>()
  const seqs: number[] = []
  const dirs: FilterAnswer['dirs'] = []
  /** The first call of each turn whose message has not been read yet. */
  const firstCalls = new Map<EntryId, number>()
  let matches = 0
  let lastSeq = 0

  function take(unit: FilterUnit): void {
    for (const kind of unit.kinds) kinds[kind] += 1
    if (unit.tool !== null) tools.set(unit.tool, (tools.get(unit.tool) ?? 0) + 1)
    for (const path of unit.files) files.set(path, (files.get(path) ?? 0) + 1)
    if (!matchesFilter(unit, filter)) return
    matches += 1
    if (seqs.length < filteredEntriesMax) seqs.push(...unit.seqs)
  }

  function placeEntry(entry: Entry): void {
    if (entry.type === 'run-end') firstCalls.clear()
    if (entry.type === 'tool-call' && !firstCalls.has(entry.messageUuid))
      firstCalls.set(entry.messageUuid, entry.seq)
    if (entry.type !== 'message') return
    const seq = firstCalls.get(entry.uuid) ?? entry.seq
    firstCalls.delete(entry.uuid)
    if (entry.cwd !== dirs.at(-1)?.cwd && dirs.length < filterDirsMax)
      dirs.push({ seq, cwd: entry.cwd })
  }

  return {
    add(entry) {
      lastSeq = entry.seq
      placeEntry(entry)
      for (const unit of units.add(entry)) take(unit)
    },
    answer() {
      for (const unit of units.end()) take(unit)
      return {
        seqs: seqs.sort((a, b) => a - b),
        matches,
        counts: { kinds, tools: mostUsed(tools), files: mostUsed(files) },
        dirs,
        lastSeq,
      }
    },
  }
}

const mostUsed = (counts: Map<string, number>) =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, filterChoicesMax)
    .map(([name, count]) => ({ name, count }))
