/** A filtered transcript: which of its entries match, and the matching entries that are shown so far. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { type FilterAnswer, filteredPageMax } from '../../../shared/contract/transcripts/filter.ts'
import { withWholeValues } from '../../../shared/contract/transcripts/whole-values.ts'
import type { TranscriptFilter } from '../../../shared/projections/transcript/filter-units.ts'
import { foldEntries } from '../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../shared/projections/transcript/transcript-fold.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** Interval of reads while the transcript grows: a busy agent writes many entries a second. */
const growingMs = 1_000
/** The limit for pages of an unfiltered transcript. */
const valueBytesMax = 4 << 20

export interface FilterView {
  phase: 'reading' | 'ready' | 'failed'
  problem: Problem | null
  /** Null before the first answer. */
  answer: FilterAnswer | null
  items: TranscriptItem[]
  hasMore: boolean
  paging: boolean
}

interface FilterStore {
  store: StoreApi<FilterView>
  set(filter: TranscriptFilter): void
  loadMore(): Promise<void>
  /** Call it when the transcript has grown to entry `lastSeq`. */
  grew(lastSeq: number): void
  close(): void
}

const noFilter: TranscriptFilter = { kind: null, tool: null, file: null }
const nothing = { problem: null, items: [], hasMore: false, paging: false }

export function createFilterStore({
  client,
  taskId,
}: {
  client: Pick<ShiplogClient, 'transcripts'>
  taskId: TaskId
}): FilterStore {
  const store = createStore<FilterView>(() => ({ ...nothing, phase: 'reading', answer: null }))
  let filter = noFilter
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let fold = emptyTranscript()

  async function read(signal: AbortSignal): Promise<void> {
    try {
      const answer = await client.transcripts.filter({ taskId, filter }, { signal })
      if (signal.aborted) return
      store.setState({
        phase: 'ready',
        problem: null,
        answer,
        hasMore: remaining(answer).length > 0,
      })
      if (store.getState().items.length === 0) await loadMore()
    } catch (error) {
      if (!signal.aborted)
        store.setState({ phase: 'failed', problem: problemOf(error, 'filter the transcript') })
    }
  }

  const remaining = ({ seqs }: FilterAnswer): number[] => seqs.filter((seq) => seq > fold.lastSeq)

  async function loadMore(): Promise<void> {
    const { answer, paging } = store.getState()
    const seqs = answer && remaining(answer).slice(0, filteredPageMax)
    // Without any filter the transcript itself is shown.
    if (paging || !seqs || seqs.length === 0 || !isSet(filter)) return
    const { signal } = controller
    store.setState({ paging: true })
    try {
      const page = await client.transcripts.entries({ taskId, seqs }, { signal })
      const { entries } = await withWholeValues(
        client,
        { ...page, taskId },
        {
          bytesMax: valueBytesMax,
          signal,
        },
      )
      if (signal.aborted) return
      foldEntries(fold, entries)
      const items = fold.items.flatMap((item) => onlySelected(item, answer.dirs))
      store.setState({ items, hasMore: entries.length > 0 && remaining(answer).length > 0 })
    } catch (error) {
      if (!signal.aborted)
        store.setState({ phase: 'failed', problem: problemOf(error, 'read these entries') })
    } finally {
      if (!signal.aborted) store.setState({ paging: false })
    }
  }

  return {
    store,
    loadMore,
    set(next) {
      clearTimeout(timer)
      controller.abort()
      controller = new AbortController()
      filter = next
      fold = emptyTranscript()
      // The counts cover the whole transcript, whatever the filter.
      store.setState({ ...nothing, phase: 'reading' })
      void read(controller.signal)
    },
    grew(lastSeq) {
      const { answer, phase } = store.getState()
      if (phase !== 'ready' || !answer || lastSeq <= answer.lastSeq) return
      clearTimeout(timer)
      const { signal } = controller
      timer = setTimeout(() => void read(signal), growingMs)
    },
    close() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}

export const isSet = ({ kind, tool, file }: TranscriptFilter): boolean =>
  kind !== null || tool !== null || file !== null

/**
 * Removes the calls that the filter does not select from a turn, and its reasoning. A turn without its message gets the
 * working directory from `dirs`, by which its paths are shortened.
 */
function onlySelected(item: TranscriptItem, dirs: FilterAnswer['dirs']): TranscriptItem[] {
  if (item.kind !== 'turn') return [item]
  const known = selected.get(item)
  if (known) return known
  const blocks = item.blocks.filter(
    (block) =>
      block.kind !== 'reasoning' && !(block.kind === 'tool' && block.call.state === 'not-loaded'),
  )
  const cwd = item.cwd ?? dirs.findLast(({ seq }) => seq <= item.seq)?.cwd ?? null
  const items = blocks.length === 0 ? [] : [{ ...item, blocks, cwd }]
  selected.set(item, items)
  return items
}

/** Cached, because a view compares items by identity. */
const selected = new WeakMap<TranscriptItem, TranscriptItem[]>()
