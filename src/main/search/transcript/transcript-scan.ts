/** Searches or filters one transcript by reading all of it, without an index. */
import { setImmediate } from 'node:timers/promises'
import type { FilterAnswer } from '../../../shared/contract/transcripts/filter.ts'
import type { FindEvent } from '../../../shared/contract/transcripts/find.ts'
import { createFilterFold } from '../../../shared/projections/transcript/filter-transcript.ts'
import type { TranscriptFilter } from '../../../shared/projections/transcript/filter-units.ts'
import {
  createRecordedEdits,
  type RecordedEdits,
} from '../../../shared/projections/transcript/recorded-edits.ts'
import { parseEntry } from '../../../shared/records/parse-entry.ts'
import type { FindQuery } from '../../../shared/text/find-pattern.ts'
import { readJournal } from '../../journal/index.ts'
import { readEntries } from '../read-documents.ts'
import { createPlaceFinder } from './find-places.ts'

export interface TranscriptScanRequest {
  file: string
  query: FindQuery
  fromSeq: number
  nearSeq: number
  /** Maximum number of places to list. */
  limit: number
  snippets: boolean
}

/** Interval of progress events: short enough for a live count, long enough to cost nothing. */
const eventMs = 100
/** Entries between two checks of the clock. Each check also yields, so that a caller can cancel the search. */
const stepEntries = 100
/** Yields progress and results. Throws JournalReadError, and FailureError like `findPatternOf`. */
export async function* scanTranscript(request: TranscriptScanRequest): AsyncGenerator<FindEvent> {
  const { limit } = request
  const placesIn = createPlaceFinder(request)
  const event: FindEvent = {
    places: [],
    matches: 0,
    placeCount: 0,
    searched: 0,
    lastSeq: 0,
    done: false,
  }
  let emittedAt = 0
  for await (const { entry, wholeOutput } of inOrder(request)) {
    event.lastSeq = Math.max(event.lastSeq, entry.seq)
    event.searched += 1
    for (const place of placesIn(entry, wholeOutput)) {
      event.matches += place.count
      event.placeCount += 1
      if (event.placeCount <= limit) event.places.push(place)
    }
    const isFirst = event.placeCount > 0 && emittedAt === 0
    if (!isFirst && event.searched % stepEntries !== 0) continue
    await setImmediate()
    const nowMs = performance.now()
    if (!isFirst && nowMs - emittedAt < eventMs) continue
    emittedAt = nowMs
    yield { ...event }
    event.places = []
  }
  yield { ...event, done: true }
}

/** Reads from `nearSeq` to the end, then from `fromSeq` to `nearSeq`. */
async function* inOrder({ file, fromSeq, nearSeq }: TranscriptScanRequest) {
  const near = Math.max(fromSeq, nearSeq)
  yield* readEntries(file, near)
  if (near === fromSeq) return
  for await (const read of readEntries(file, fromSeq)) {
    if (read.entry.seq >= near) return
    yield read
  }
}

/** Throws JournalReadError. */
export async function filterTranscript(
  file: string,
  filter: TranscriptFilter,
): Promise<FilterAnswer> {
  const fold = createFilterFold(filter)
  for await (const record of readJournal(file)) fold.add(parseEntry(record))
  return fold.answer()
}

/** Throws JournalReadError. */
export async function editsInTranscript(file: string): Promise<RecordedEdits> {
  const edits = createRecordedEdits()
  for await (const record of readJournal(file)) edits.add(parseEntry(record))
  return edits.answer()
}
