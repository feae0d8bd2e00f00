import { describe, expect, it } from 'vitest'
import { createSearchStore } from '../../../src/renderer/store/search/search-store.ts'
import type { SearchAnswer } from '../../../src/shared/contract/search.ts'

const answerTo = (query: string, indexed = 1): SearchAnswer => ({
  query,
  hits: [],
  more: false,
  count: 0,
  countIsMinimum: false,
  facets: { project: [], agent: [], kind: [] },
  unmatched: [],
  tookMs: 1,
  expired: 0,
  index: { state: indexed < 1 ? 'updating' : 'ready', indexed, total: 1, reason: null },
})

/** A search whose calls are answered by hand. */
function asked() {
  const calls: {
    query: string
    limit: number
    sort: string
    answer(answer: SearchAnswer): void
    fail(error: Error): void
  }[] = []
  const find = ({ query, limit, sort }: { query: string; limit: number; sort: string }) => {
    const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>()
    calls.push({ query, limit, sort, answer: resolve, fail: reject })
    return promise
  }
  const search = createSearchStore({ client: { search: { find } } as never })
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { calls, search, until, view: () => search.store.getState() }
}

describe('the search of the window', () => {
  it('sends one query for quick typing, and shows the results of the newest only', async () => {
    const { calls, search, until, view } = asked()
    for (const text of ['p', 'pa', 'par']) search.setQuery(text)
    await until(() => calls.length > 0)
    expect(calls.map(({ query }) => query)).toEqual(['par'])
    search.setQuery('pars', { immediate: true })
    await until(() => calls.length === 2)
    calls[1]?.answer(answerTo('pars'))
    await until(() => !view().busy)
    calls[0]?.answer(answerTo('par'))
    await Promise.resolve()
    expect(view().answer?.query).toBe('pars')
    search.setQuery('', { immediate: true })
    expect(view()).toMatchObject({ query: '', answer: null, busy: false })
  })

  it('repeats the query while the index catches up, and keeps its results if a call fails', async () => {
    const { calls, search, until, view } = asked()
    search.setQuery('word', { immediate: true })
    await until(() => calls.length === 1)
    calls[0]?.answer(answerTo('word', 0))
    await until(() => calls.length === 2)
    calls[1]?.fail(new Error('gone'))
    await until(() => view().problem !== null)
    expect(view().answer?.query).toBe('word')
    search.setQuery('word', { immediate: true })
    await until(() => calls.length === 3)
    search.close()
  })

  it('asks for a page more of the same query, and keeps the order for the next one', async () => {
    const { calls, search, until, view } = asked()
    search.setQuery('word', { immediate: true })
    await until(() => calls.length === 1)
    calls[0]?.answer(answerTo('word'))
    await until(() => !view().busy)
    search.showMore()
    search.setSort('newest')
    search.setQuery('words', { immediate: true })
    await until(() => calls.length === 4)
    expect(calls.map(({ query, limit, sort }) => [query, limit, sort])).toEqual([
      ['word', 100, 'best'],
      ['word', 200, 'best'],
      ['word', 100, 'newest'],
      ['words', 100, 'newest'],
    ])
    search.close()
  })
})
