/**
 * The search over the whole log: one query at a time, the newest one wins. It outlives its screen, so that going back
 * from a hit shows the same list.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { SearchAnswer, SearchSort } from '../../../shared/contract/search.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** Each hit costs a read of its transcript. */
const pageHits = 100
/** The host ranks no more; a narrower query finds the rest. */
export const shownHitsMax = 500
/** The pause between two keys of a fast typist. */
const typingMs = 120
/** Interval at which the query is repeated while the index is behind. */
const renewMs = 1_500

interface SearchView {
  /** The query that `answer` is for. */
  query: string
  answer: SearchAnswer | null
  problem: Problem | null
  busy: boolean
  sort: SearchSort
  /** The number of hits that were asked for. */
  limit: number
  /** Index of the selected hit; -1: none. */
  chosen: number
}

export interface SearchStore {
  store: StoreApi<SearchView>
  /** Sends the query after a short pause, during which another one replaces it. */
  setQuery(query: string, options?: { immediate?: boolean }): void
  setSort(sort: SearchSort): void
  /** Repeats the query with a page more of its hits. */
  showMore(): void
  choose(index: number): void
  close(): void
}

/** `limit`: the number of hits of the first page. */
export function createSearchStore(deps: {
  client: Pick<ShiplogClient, 'search'>
  limit?: number
}): SearchStore {
  const { client, limit: pageSize = pageHits } = deps
  const nothing = {
    query: '',
    answer: null,
    problem: null,
    busy: false,
    limit: pageSize,
    chosen: -1,
  }
  const store = createStore<SearchView>(() => ({ ...nothing, sort: 'best' }))
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function find(query: string, { signal }: AbortController): Promise<void> {
    try {
      const { limit, sort } = store.getState()
      const answer = await client.search.find({ query, limit, sort }, { signal })
      if (signal.aborted) return
      store.setState({ answer, problem: null, busy: false })
      const { state, indexed, total } = answer.index
      if (state === 'updating' && indexed < total) renew(query)
    } catch (error) {
      if (signal.aborted) return
      store.setState({ problem: problemOf(error, 'search'), busy: false })
    }
  }

  function renew(query: string): void {
    const same = controller
    timer = setTimeout(() => void find(query, same), renewMs)
  }

  /** Repeats the query now, as it is. */
  function again(): void {
    clearTimeout(timer)
    controller.abort()
    controller = new AbortController()
    store.setState({ busy: true })
    void find(store.getState().query, controller)
  }

  return {
    store,
    setQuery(query, { immediate = false } = {}) {
      const current = store.getState()
      if (query === current.query && current.problem === null) return
      clearTimeout(timer)
      controller.abort()
      if (query.trim() === '') return store.setState({ ...nothing, query })
      const next = new AbortController()
      controller = next
      store.setState({ query, busy: true, limit: pageSize, chosen: -1 })
      timer = setTimeout(() => void find(query, next), immediate ? 0 : typingMs)
    },
    setSort(sort) {
      store.setState({ sort, limit: pageSize, chosen: -1 })
      if (store.getState().query.trim() !== '') again()
    },
    showMore() {
      store.setState(({ limit }) => ({ limit: Math.min(shownHitsMax, limit + pageSize) }))
      again()
    },
    choose: (chosen) => store.setState({ chosen }),
    close() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
