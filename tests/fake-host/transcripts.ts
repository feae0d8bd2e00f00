/** The answers about transcripts: pages and folds of the entries in memory. */
import { createPlaceFinder } from '../../src/main/search/transcript/find-places.ts'
import type { FindEvent } from '../../src/shared/contract/transcripts/find.ts'
import type { TranscriptPage } from '../../src/shared/contract/workspace.ts'
import { FailureError, refused } from '../../src/shared/failure.ts'
import { ancestorsOf } from '../../src/shared/projections/ledger/ledger-state.ts'
import {
  addToTimeline,
  emptyTimeline,
  openCallsOf,
} from '../../src/shared/projections/replay/timeline.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import { emptySessionState } from '../../src/shared/projections/session/session-state.ts'
import { createFilterFold } from '../../src/shared/projections/transcript/filter-transcript.ts'
import {
  addToOutline,
  closeOutline,
  emptyOutline,
} from '../../src/shared/projections/transcript/outline.ts'
import { transcriptStateOf } from '../../src/shared/projections/transcript/transcript-state.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { shortId, type TaskId } from '../../src/shared/records/ids.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { wholeOutputOf } from '../../src/shared/records/whole-output.ts'
import { type Implementer, withAnswers } from './implementer.ts'
import type { Memory } from './memory.ts'
import { wholeOutput } from './workspaces.ts'

type Asked = { taskId: string; requestingWorkspaceId?: TaskId | undefined }
type FindAsked = Parameters<typeof createPlaceFinder>[0] & {
  fromSeq: number
  nearSeq: number
  limit: number
}
type Place = 'start' | 'end' | { seq: number } | { before: number } | { turn: number }

/** The task that is asked for. Throws FailureError where the one who asks sees nothing of it (A5). */
export function inScope({ find, state }: Memory, asked: Asked): Task {
  const task = find(asked.taskId)
  const { requestingWorkspaceId: requesting } = asked
  if (requesting !== undefined && !ancestorsOf(state, task.id).includes(requesting))
    throw new FailureError({ kind: 'out-of-scope', what: 'task', id: task.id })
  return task
}

export function refuseTrashed({ title, rootId, trashed, purged }: Task): void {
  if (!trashed) return
  refused(
    'removed',
    purged
      ? `"${title}" was deleted, and its time in the trash is over.`
      : `"${title}" is in the trash. \`shiplog workspaces restore ${shortId(rootId)}\` restores it.`,
  )
}

export function transcriptAnswers(os: Implementer, memory: Memory) {
  const { sessionOf, given } = memory

  function readable(asked: Asked): Task {
    const task = inScope(memory, asked)
    if (!task.transcriptExpired) refuseTrashed(task)
    return task
  }

  function entriesOf(asked: Asked): Entry[] {
    const { id, transcriptExpired } = readable(asked)
    return transcriptExpired ? [] : sessionOf(id).entries
  }

  function page(asked: Asked, { at, limit }: { at: Place; limit: number }): TranscriptPage {
    const { id: taskId, archived, transcriptExpired: expired } = readable(asked)
    const source = archived ? ('archived' as const) : ('live' as const)
    const none = { taskId, entries: [], values: [], total: 0, nextSeq: null, damage: [] }
    if (expired) return { ...none, partial: null, source, status: 'expired', expired }
    const { entries, partial, damage } = sessionOf(taskId)
    const count = Math.min(limit, given.pageEntriesMax ?? limit)
    const before = at === 'end' ? entries.length : beforeOf(at)
    const from = before === null ? firstOf(entries, at) : Math.max(0, before - count)
    const end = Math.min(before ?? entries.length, from + count)
    const atEnd = end >= entries.length
    return {
      taskId,
      entries: entries.slice(from, end),
      values: [],
      total: entries.length,
      nextSeq: atEnd ? null : end + 1,
      damage,
      partial: atEnd ? partial : null,
      source,
      status: damage.length > 0 ? 'damaged' : 'complete',
    }
  }

  async function* find(
    asked: Asked,
    { query, fromSeq, nearSeq, limit, snippets }: FindAsked,
  ): AsyncGenerator<FindEvent> {
    const entries = entriesOf(asked).filter(({ seq }) => seq >= fromSeq)
    const inOrder = [
      ...entries.filter(({ seq }) => seq >= nearSeq),
      ...entries.filter(({ seq }) => seq < nearSeq),
    ]
    const placesIn = createPlaceFinder({ query, snippets })
    const places = inOrder.flatMap((entry) =>
      placesIn(entry, wholeOutputOf(entry) ? wholeOutput : null),
    )
    const event = {
      places: places.slice(0, limit),
      matches: places.reduce((sum, { count }) => sum + count, 0),
      placeCount: places.length,
      lastSeq: entries.at(-1)?.seq ?? 0,
    }
    if (given.findStopsAfter !== undefined) {
      yield { ...event, searched: given.findStopsAfter, done: false }
      await new Promise(() => {})
    }
    yield { ...event, searched: entries.length, done: true }
  }

  return {
    transcripts: {
      page: os.transcripts.page.handler(({ input }) => page(input, input)),
      outline: os.transcripts.outline.handler(({ input }) => {
        const fold = emptyOutline()
        for (const entry of entriesOf(input)) addToOutline(fold, entry)
        closeOutline(fold)
        const items = fold.items.filter(({ seq }) => seq >= input.fromSeq)
        return { items: items.slice(0, input.limit), nextSeq: items[input.limit]?.seq ?? null }
      }),
      timeline: os.transcripts.timeline.handler(({ input }) => {
        const fold = emptyTimeline()
        const entries = entriesOf(input)
        const asked = entries.filter(({ seq }) => seq >= input.fromSeq)
        const limit = Math.min(input.limit, given.pageEntriesMax ?? input.limit)
        let nextSeq = input.fromSeq
        for (const entry of asked) {
          if (fold.marks.length >= limit) break
          addToTimeline(fold, entry)
          nextSeq = entry.seq + 1
        }
        return { marks: fold.marks, open: openCallsOf(fold), nextSeq, total: entries.length }
      }),
      stateAt: os.transcripts.stateAt.handler(({ input }) => {
        const until = entriesOf(input).filter(({ seq }) => seq <= input.seq)
        return transcriptStateOf(until.reduce(foldSessionState, emptySessionState()))
      }),
      // Its pages have no previews, so there is no value that was left out of one; an entry as a whole can be read.
      value: os.transcripts.value.handler(({ input }) => {
        const { id: taskId } = readable(input)
        const entry = sessionOf(taskId).entries.find(({ seq }) => seq === input.seq)
        if (entry && input.at.length === 0) {
          const bytes = new TextEncoder().encode(JSON.stringify(entry))
          const end = input.offset + input.bytesMax
          return {
            text: new TextDecoder().decode(bytes.subarray(input.offset, end)),
            total: bytes.length,
            nextOffset: end < bytes.length ? end : null,
          }
        }
        const id = [input.seq, ...input.at].join('/')
        throw new FailureError({ kind: 'not-found', what: 'value', id })
      }),
      find: os.transcripts.find.handler(({ input }) => withAnswers(find(input, input))),
      filter: os.transcripts.filter.handler(({ input }) => {
        const fold = createFilterFold(input.filter)
        for (const entry of entriesOf(input)) fold.add(entry)
        return fold.answer()
      }),
      entries: os.transcripts.entries.handler(({ input }) => ({
        entries: entriesOf(input).filter(({ seq }) => input.seqs.includes(seq)),
        values: [],
      })),
      image: os.transcripts.image.handler(({ input }) => {
        readable(input)
        return memory.images.read(input.sha256)
      }),
    },
    getSubagentTranscript: os.workspace.getSubagentTranscript.handler(({ input }) => {
      const at = input.last ? ('end' as const) : { seq: input.fromSeq ?? 1 }
      return page(input, { at, limit: input.limit })
    }),
  }
}

const beforeOf = (at: Place): number | null =>
  typeof at === 'object' && 'before' in at ? at.before - 1 : null

function firstOf(entries: Entry[], at: Place): number {
  if (typeof at !== 'object' || 'before' in at) return 0
  if ('seq' in at) return at.seq - 1
  const first = entries.findIndex((entry) => 'turn' in entry && entry.turn === at.turn)
  if (first >= 0) return first
  throw new FailureError({ kind: 'not-found', what: 'turn', id: String(at.turn) })
}
