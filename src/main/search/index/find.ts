/** Finds the candidates of a query in the index, best first. */
import type { SearchSort } from '../../../shared/contract/search.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { countHits, type HitCount } from '../query/facets.ts'
import { type Fit, fits, matchOf } from '../query/match.ts'
import type { Query } from '../query/query.ts'
import { type Ranked, rank } from '../query/ranking.ts'
import type { IndexDb } from './index-db.ts'
import type { Vocabulary } from './vocabulary.ts'
import { wordsOf } from './words.ts'

/** Only this many of the newest matching rows are ranked, because a common word may match most of the index. */
const rankedMax = 500
/** Titles, reports and prompts that are ranked in addition, regardless of age. */
const importantMax = 300
const important = ['title', 'report', 'prompt'] as const
/** Fits that need few lookups; the others may match thousands of words. */
const quickFits: readonly Fit[] = ['word', 'short-beginning']

export interface FindRequest {
  query: Query
  /** Null: all tasks. */
  taskIds: TaskId[] | null
  limit: number
  sort: SearchSort
  nowMs: number
}

export interface Found {
  /** At most `limit`. */
  hits: Ranked[]
  /** All hits that were ranked, by task and kind. */
  counts: HitCount[]
  /** Only the newest matches were ranked. */
  countIsMinimum: boolean
}

export function find(db: IndexDb, vocabulary: Vocabulary, request: FindRequest): Found {
  const { taskIds, limit, sort, nowMs } = request
  if (isEmpty(request.query)) return { hits: [], counts: [], countIsMinimum: false }
  const query = withDefaultKinds(request.query)
  const { after, before } = query
  const facets = query.tools.length + query.models.length > 0 ? db.facets() : []
  const newest = (asked: Query, most: number, among: readonly Fit[] = fits): Ranked[] => {
    const found: Ranked[] = []
    const tried = new Set<string | null>()
    for (const fit of among) {
      // Worse fits rank lower, so they add nothing to a full list.
      if (found.length >= most) break
      const match = matchOf(asked, { fit, vocabulary, facets })
      if (tried.has(match)) continue
      tried.add(match)
      const rows = db.newest({ match, taskIds, after, before, limit: most })
      found.push(...rows.map((row) => ({ ...row, fit })))
    }
    return found
  }
  // For the newest, a better fit doesn't matter: the widest has all matches.
  const found = newest(query, rankedMax + 1, sort === 'newest' ? ['part'] : fits)
  const countIsMinimum = found.length > rankedMax
  if (countIsMinimum && sort === 'best' && query.kinds.length === 0)
    found.push(...newest({ ...query, kinds: [...important] }, importantMax, quickFits))
  const hits = rank(found, { sort, nowMs })
  return { hits: hits.slice(0, limit), counts: countHits(hits), countIsMinimum }
}

/** A query with filters for tasks only returns titles, reports and prompts instead of every entry. */
function withDefaultKinds(query: Query): Query {
  const { terms, files, tools, models, kinds, flags } = query
  const asked = terms.length + files.length + tools.length + models.length + kinds.length
  return asked > 0 || flags.includes('error') ? query : { ...query, kinds: [...important] }
}

/** Whether the query has neither a filter nor a word. */
function isEmpty({ terms, excluded: _, ...filters }: Query): boolean {
  const hasWords = terms.flat().some(({ text }) => wordsOf(text).length > 0)
  const hasFilter = Object.values(filters).some((one) =>
    Array.isArray(one) ? one.length > 0 : one !== null,
  )
  return !hasWords && !hasFilter
}
