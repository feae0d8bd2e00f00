/** Implements the contract's transcript calls: pages, outlines, states and values, each bounded in bytes. */

import { readPages } from '../../shared/async/read-pages.ts'
import type { TimelinePage } from '../../shared/contract/transcripts/timeline.ts'
import type { OutlineItem, TranscriptState } from '../../shared/contract/transcripts/transcripts.ts'
import type { TranscriptPage } from '../../shared/contract/workspace.ts'
import { FailureError, invalid } from '../../shared/failure.ts'
import {
  addToTimeline,
  emptyTimeline,
  openCallsOf,
} from '../../shared/projections/replay/timeline.ts'
import { foldFromBrief } from '../../shared/projections/session/brief-state.ts'
import {
  addToOutline,
  closeOutline,
  emptyOutline,
} from '../../shared/projections/transcript/outline.ts'
import { transcriptStateOf } from '../../shared/projections/transcript/transcript-state.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { PageQuery } from '../journal/index.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { boundPage } from './bounded-page.ts'
import { type OutputPart, partOfBytes } from './output-parts.ts'

/** Bytes read from the disk for one page: more than a page holds, because long entries are cut. */
const readBytesMax = 4 << 20
/** Bytes of records read for one page of an outline, unless the page would stay empty. */
const outlineBytesMax = 8 << 20
/** Bytes of records read for one page of a timeline: a fraction of a second, so that other calls are not delayed. */
const timelineBytesMax = 16 << 20
const stepEntries = 500

export type PagePlace = 'start' | 'end' | { seq: number } | { before: number } | { turn: number }

export interface Transcripts {
  /** Throws FailureError as `ArchiveReader.transcriptPage`, and not-found for an unknown turn. */
  page(
    taskId: TaskId,
    query: { at: PagePlace; limit: number; previews: boolean },
  ): Promise<TranscriptPage>
  outline(
    taskId: TaskId,
    query: { fromSeq: number; limit: number },
  ): Promise<{ items: OutlineItem[]; nextSeq: number | null }>
  timeline(taskId: TaskId, query: { fromSeq: number; limit: number }): Promise<TimelinePage>
  stateAt(taskId: TaskId, seq: number): Promise<TranscriptState>
  /** Returns the entries of `seqs` that exist, in file order, as many as fit into a page. */
  entries(taskId: TaskId, seqs: number[]): Promise<Pick<TranscriptPage, 'entries' | 'values'>>
  /**
   * Returns the seqs of the turns `fromTurn` through `throughTurn`, both included, with the prompts
   * before the first. An absent bound means the start or end of the transcript. Throws FailureError
   * (invalid) for an unknown turn.
   */
  rangeOfTurns(
    taskId: TaskId,
    turns: { fromTurn?: number | undefined; throughTurn?: number | undefined },
  ): Promise<{ fromSeq?: number; throughSeq?: number }>
  /** Throws FailureError (not-found) if the entry has no text at that path. */
  value(taskId: TaskId, query: ValueQuery): Promise<OutputPart>
}

interface ValueQuery {
  seq: number
  at: (string | number)[]
  /** In bytes. */
  offset: number
  bytesMax: number
}

export function createTranscripts(
  archive: Pick<ArchiveReader, 'transcriptPage' | 'earlierState'>,
): Transcripts {
  const read = (taskId: TaskId, query: PageQuery) =>
    archive.transcriptPage(taskId, { bytesMax: readBytesMax, ...query, previews: true })

  async function wholeEntry(taskId: TaskId, seq: number): Promise<Entry | null> {
    const page = await archive.transcriptPage(taskId, { fromSeq: seq, limit: 1, throughSeq: seq })
    return page.entries[0] ?? null
  }

  async function queryOf(taskId: TaskId, at: PagePlace, limit: number): Promise<PageQuery> {
    if (at === 'start') return { fromSeq: 1, limit }
    if (at === 'end') return { last: limit }
    if ('before' in at) return { last: limit, throughSeq: at.before - 1 }
    return { fromSeq: 'seq' in at ? at.seq : await seqOfTurn(taskId, at.turn), limit }
  }

  /** Finds the first entry of a turn by binary search, because turns are numbered in file order. */
  async function seqOfTurn(taskId: TaskId, turn: number): Promise<number> {
    const seq = await findTurn(taskId, turn)
    if (seq !== null) return seq
    throw new FailureError({ kind: 'not-found', what: 'turn', id: String(turn) })
  }

  async function firstOfTurn(taskId: TaskId, turn: number): Promise<number> {
    const seq = await findTurn(taskId, turn)
    return seq ?? invalid('turns', `This transcript has no turn ${turn}.`)
  }

  /** Returns null if there is no such turn. */
  async function findTurn(taskId: TaskId, turn: number): Promise<number | null> {
    const [last] = (await read(taskId, { last: 1 })).entries
    let [low, high] = [1, (last?.seq ?? 0) + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const next = await nextTurn(taskId, middle, high)
      if (next === null || next.turn >= turn) high = middle
      else low = next.seq + 1
    }
    const found = await nextTurn(taskId, low, Number.POSITIVE_INFINITY)
    return found?.turn === turn ? found.seq : null
  }

  /** Returns the seq of a turn's last entry, including entries that Shiplog recorded after the turn's message. */
  async function endOfTurn(taskId: TaskId, turn: number): Promise<number> {
    let end = await firstOfTurn(taskId, turn)
    for await (const { entries } of pagesOf(taskId, end))
      for (const entry of entries) {
        if (!('turn' in entry) || entry.turn === null) continue
        if (entry.turn > turn) return end
        end = entry.seq
      }
    return end
  }

  /** Returns the first entry in `fromSeq`..`endSeq` (exclusive) that belongs to a turn. */
  async function nextTurn(
    taskId: TaskId,
    fromSeq: number,
    endSeq: number,
  ): Promise<{ seq: number; turn: number } | null> {
    const pages = readPages(fromSeq, (seq) => read(taskId, { fromSeq: seq, limit: 16 }))
    for await (const { entries } of pages)
      for (const entry of entries) {
        if (entry.seq >= endSeq) return null
        if ('turn' in entry && entry.turn !== null && entry.type !== 'workspace-snapshot')
          return { seq: entry.seq, turn: entry.turn }
      }
    return null
  }

  const pagesOf = (taskId: TaskId, fromSeq: number, throughSeq?: number) =>
    readPages(fromSeq, (seq) => read(taskId, { fromSeq: seq, limit: stepEntries, throughSeq }))

  return {
    async rangeOfTurns(taskId, { fromTurn = 1, throughTurn }) {
      if (fromTurn > 1) await firstOfTurn(taskId, fromTurn)
      return {
        ...(fromTurn > 1 && { fromSeq: (await endOfTurn(taskId, fromTurn - 1)) + 1 }),
        ...(throughTurn !== undefined && { throughSeq: await endOfTurn(taskId, throughTurn) }),
      }
    },
    async page(taskId, { at, limit, previews }) {
      const query = await queryOf(taskId, at, limit)
      return boundPage(await read(taskId, query), {
        keep: 'last' in query ? 'last' : 'first',
        whole: previews ? null : (seq) => wholeEntry(taskId, seq),
      })
    },
    async outline(taskId, { fromSeq, limit }) {
      const fold = emptyOutline()
      let bytes = 0
      for await (const page of pagesOf(taskId, fromSeq)) {
        for (const entry of page.entries) {
          // An item that begins here belongs to the next page.
          const begun = fold.open?.seq ?? entry.seq
          const isFull = bytes > outlineBytesMax && fold.items.length > 0
          if (fold.items.length >= limit || isFull)
            return { items: fold.items.slice(0, limit), nextSeq: begun }
          addToOutline(fold, entry)
          bytes += sizeOf(entry)
          if (fold.items.length > limit)
            return { items: fold.items.slice(0, limit), nextSeq: fold.items[limit]?.seq ?? null }
        }
      }
      closeOutline(fold)
      const next = fold.items[limit]
      return { items: fold.items.slice(0, limit), nextSeq: next?.seq ?? null }
    },
    async timeline(taskId, { fromSeq, limit }) {
      const fold = emptyTimeline()
      let [nextSeq, total, bytes] = [fromSeq, 0, 0]
      for await (const page of pagesOf(taskId, fromSeq)) {
        total = page.total
        for (const entry of page.entries) {
          if (fold.marks.length >= limit) break
          addToTimeline(fold, entry)
          nextSeq = entry.seq + 1
          bytes += sizeOf(entry)
        }
        if (page.nextSeq === null && fold.marks.length < limit)
          nextSeq = Math.max(nextSeq, total + 1)
        if (fold.marks.length >= limit || bytes > timelineBytesMax) break
      }
      return { marks: fold.marks, open: openCallsOf(fold), nextSeq, total }
    },
    async stateAt(taskId, seq) {
      let state = foldFromBrief(await archive.earlierState(taskId, seq), [])
      if (state.seq < seq)
        for await (const { entries } of pagesOf(taskId, state.seq + 1, seq))
          state = foldFromBrief(state, entries)
      return transcriptStateOf(state)
    },
    async entries(taskId, seqs) {
      const found: TranscriptPage[] = []
      let bytes = 0
      for (const run of runsOf(seqs)) {
        const page = await read(taskId, { ...run, limit: run.throughSeq - run.fromSeq + 1 })
        found.push(page)
        bytes += page.entries.reduce((sum, entry) => sum + sizeOf(entry), 0)
        if (bytes > readBytesMax) break
      }
      const [first] = found
      if (!first) return { entries: [], values: [] }
      const all = {
        ...first,
        entries: found.flatMap(({ entries }) => entries),
        values: found.flatMap(({ values }) => values),
      }
      const { entries, values } = await boundPage(all, { keep: 'first', whole: null })
      return { entries, values }
    },
    async value(taskId, { seq, at, offset, bytesMax }) {
      const entry = await wholeEntry(taskId, seq)
      const text = entry && (at.length === 0 ? JSON.stringify(entry) : textAt(entry, at))
      if (entry?.seq !== seq || typeof text !== 'string')
        throw new FailureError({ kind: 'not-found', what: 'value', id: [seq, ...at].join('/') })
      return partOfBytes(Buffer.from(text), offset, bytesMax)
    },
  }
}

/** Joins consecutive seqs into ranges, so that neighbouring entries are read together. */
function runsOf(seqs: number[]): { fromSeq: number; throughSeq: number }[] {
  const runs: { fromSeq: number; throughSeq: number }[] = []
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && seq <= last.throughSeq + 1) last.throughSeq = seq
    else runs.push({ fromSeq: seq, throughSeq: seq })
  }
  return runs
}

const textAt = (entry: Entry, at: (string | number)[]): unknown =>
  at.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    entry,
  )

/** Estimates an entry's bytes by its longest texts, which dominate the reading time. */
function sizeOf(entry: Entry): number {
  if (entry.type === 'tool-result') return entry.output.length + 500
  if (entry.type === 'message')
    return entry.parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 100), 500)
  return 1_000
}
