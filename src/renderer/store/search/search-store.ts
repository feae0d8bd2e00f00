/**
 * The search over the whole log: one query at a time, the newest one wins. It outlives its screen, so that going back
 * from a hit shows the same list.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { SearchAnswer } from '../../../shared/contract/search.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** More than anybody reads; a narrower query finds the rest. */
const hitsMax = 100
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
  /** Index of the selected hit; -1: none. */
  chosen: number
}

export interface SearchStore {
  store: StoreApi<SearchView>
  /** Sends the query after a short pause, during which another one replaces it. */
  setQuery(query: string, options?: { immediate?: boolean }): void
  choose(index: number): void
  close(): void
}

const nothing: SearchView = { query: '', answer: null, problem: null, busy: false, chosen: -1 }

/** `limit`: the maximum number of hits, if fewer are shown. */
export function createSearchStore(deps: {
  client: Pick<ShiplogClient, 'search'>
  limit?: number
}): SearchStore {
  const { client, limit = hitsMax } = deps
  const store = createStore<SearchView>(() => nothing)
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function find(query: string, { signal }: AbortController): Promise<void> {
    try {
      const answer = await client.search.find({ query, limit }, { signal })
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

  return {
    store,
    setQuery(query, { immediate = false } = {}) {
      const current = store.getState()
      if (query === current.query && current.problem === null) return
      clearTimeout(timer)
      controller.abort()
      if (query.trim() === '') return store.setState({ ...nothing, query }, true)
      const next = new AbortController()
      controller = next
      store.setState({ query, busy: true, chosen: -1 })
      timer = setTimeout(() => void find(query, next), immediate ? 0 : typingMs)
    },
    choose: (chosen) => store.setState({ chosen }),
    close() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
