/**
 * A search in one transcript: one query at a time, over all of its entries. Matches arrive as they are found, those
 * near the reader first; while the transcript grows, later entries are searched as well.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { FindEvent, FindPlace } from '../../../shared/contract/transcripts/find.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { FindQuery } from '../../../shared/text/find-pattern.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** The pause between two keys of a fast typist. */
const typingMs = 120
/** A busy agent writes many entries a second, so new entries are searched in batches. */
const growingMs = 300

/** One match: the nth at its place, from 0. */
export interface CurrentMatch {
  place: FindPlace
  nth: number
}

export interface FindView {
  isOpen: boolean
  query: FindQuery
  phase: 'idle' | 'counting' | 'done' | 'failed'
  problem: Problem | null
  /** In file order. */
  places: readonly FindPlace[]
  /** The count so far. */
  matches: number
  /** Whether `places` contains all texts with a match; otherwise some matches are only counted. */
  isListed: boolean
  current: CurrentMatch | null
  /** From 1; null while matches before it may still be found. */
  position: number | null
}

export interface FindStore {
  store: StoreApi<FindView>
  /** `nearSeq`: the entry in view. `text`: the initial query. */
  open(nearSeq: number, text?: string): void
  /** Changes the query after a short pause, during which another change replaces this one. */
  setQuery(change: Partial<FindQuery>, options?: { immediate?: boolean }): void
  /** Moves to the next (1) or the previous (-1) match, and from the last one to the first. */
  step(by: 1 | -1): void
  /** Call it when the transcript has grown to entry `lastSeq`. */
  grew(lastSeq: number): void
  /** Ends the search; the query is kept for the next one. */
  close(): void
}

const nothing = {
  phase: 'idle' as const,
  problem: null,
  places: [],
  matches: 0,
  isListed: true,
  current: null,
  position: null,
}

export function createFindStore({
  client,
  taskId,
}: {
  client: Pick<ShiplogClient, 'transcripts'>
  taskId: TaskId
}): FindStore {
  const store = createStore<FindView>(() => ({
    ...nothing,
    isOpen: false,
    query: { text: '', matchCase: false, wholeWord: false, isPattern: false },
  }))
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let nearSeq = 1
  /** The places from `nearSeq` on, and the earlier ones. */
  let after: FindPlace[] = []
  let before: FindPlace[] = []
  let listed = 0
  let searchedThroughSeq = 0
  let knownLastSeq = 0

  function stop(): void {
    clearTimeout(timer)
    controller.abort()
    controller = new AbortController()
  }

  function restart(delayMs: number): void {
    stop()
    after = []
    before = []
    listed = 0
    searchedThroughSeq = 0
    const { isOpen, query, current } = store.getState()
    // A longer query stays at the current match if that still matches.
    if (current) nearSeq = current.place.seq
    if (!isOpen || query.text === '') return store.setState(nothing)
    const { signal } = controller
    timer = setTimeout(() => void search(1, signal), delayMs)
  }

  async function search(fromSeq: number, signal: AbortSignal): Promise<void> {
    const { query } = store.getState()
    const counted = fromSeq === 1 ? null : store.getState().matches
    if (fromSeq === 1) store.setState({ ...nothing, phase: 'counting' })
    try {
      const near = Math.max(fromSeq, nearSeq)
      const events = await client.transcripts.find(
        { taskId, query, fromSeq, nearSeq: near },
        { signal },
      )
      for await (const event of events) {
        if (signal.aborted) return
        take(event, counted)
      }
    } catch (error) {
      if (!signal.aborted)
        store.setState({ ...nothing, phase: 'failed', problem: problemOf(error, 'find this text') })
      return
    }
    if (!signal.aborted) followGrowth()
  }

  function take(
    { places, matches, placeCount, lastSeq, done }: FindEvent,
    counted: number | null,
  ): void {
    listed += places.length
    for (const place of places) (place.seq >= nearSeq ? after : before).push(place)
    if (done) searchedThroughSeq = Math.max(searchedThroughSeq, lastSeq)
    const { current, phase } = store.getState()
    const all = [...before, ...after]
    const first = after[0] ?? (done ? before[0] : undefined)
    // A match in newly written entries does not move the reader.
    const shown = current ?? (first && counted === null ? { place: first, nth: 0 } : null)
    store.setState({
      phase: done || phase === 'done' ? 'done' : 'counting',
      places: all,
      matches: (counted ?? 0) + matches,
      isListed: counted === null ? listed === placeCount : store.getState().isListed,
      current: shown,
      position: done || phase === 'done' ? positionOf(all, shown) : null,
    })
  }

  function followGrowth(): void {
    if (store.getState().phase !== 'done' || knownLastSeq <= searchedThroughSeq) return
    clearTimeout(timer)
    const { signal } = controller
    timer = setTimeout(() => void search(searchedThroughSeq + 1, signal), growingMs)
  }

  return {
    store,
    open(near, text) {
      nearSeq = near
      const { query } = store.getState()
      store.setState({
        ...nothing,
        isOpen: true,
        query: text === undefined ? query : { ...query, text, isPattern: false },
      })
      restart(0)
    },
    setQuery(change, { immediate = false } = {}) {
      store.setState(({ query }) => ({ query: { ...query, ...change } }))
      restart(immediate ? 0 : typingMs)
    },
    step(by) {
      const { places, current, phase } = store.getState()
      const next = current ? stepped(places, current, by) : firstOf(places, by)
      if (!next) return
      const position = phase === 'done' ? positionOf(places, next) : null
      store.setState({ current: next, position })
    },
    grew(lastSeq) {
      knownLastSeq = Math.max(knownLastSeq, lastSeq)
      if (store.getState().isOpen) followGrowth()
    },
    close() {
      stop()
      store.setState({ ...nothing, isOpen: false })
    },
  }
}

function firstOf(places: readonly FindPlace[], by: 1 | -1): CurrentMatch | null {
  const place = places.at(by > 0 ? 0 : -1)
  return place ? { place, nth: by > 0 ? 0 : place.count - 1 } : null
}

function stepped(
  places: readonly FindPlace[],
  { place, nth }: CurrentMatch,
  by: 1 | -1,
): CurrentMatch {
  const inPlace = nth + by
  if (inPlace >= 0 && inPlace < place.count) return { place, nth: inPlace }
  const index = places.indexOf(place) + by
  const next = places[(index + places.length) % places.length] ?? place
  return { place: next, nth: by > 0 ? 0 : next.count - 1 }
}

function positionOf(places: readonly FindPlace[], current: CurrentMatch | null): number | null {
  if (!current) return null
  let position = current.nth + 1
  for (const place of places) {
    if (place === current.place) return position
    position += place.count
  }
  return null
}
