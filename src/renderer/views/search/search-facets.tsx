import { useEffect, useRef } from 'react'
import type { SearchAnswer, SearchFacets, SearchSort } from '../../../shared/contract/search.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import { Select } from '../../components/primitives/index.ts'
import { kindTexts } from '../../components/search/search-hits.tsx'
import { filterValue, withFilter } from './query-filters.ts'

type Facet = keyof SearchFacets

const facets: { key: Facet; label: string; any: string }[] = [
  { key: 'project', label: 'Project', any: 'Any project' },
  { key: 'agent', label: 'Agent', any: 'Any agent' },
  { key: 'kind', label: 'Kind', any: 'Any kind' },
]

const sorts: { value: SearchSort; label: string }[] = [
  { value: 'best', label: 'Best first' },
  { value: 'newest', label: 'Newest first' },
]

/** The sort order, and filters with how many hits each would leave. They are part of the query's text. */
export function SearchFacetsLine(props: {
  query: string
  answer: SearchAnswer
  sort: SearchSort
  onQuery(query: string): void
  onSort(sort: SearchSort): void
}) {
  const { query, answer, sort, onQuery, onSort } = props
  const known = useOptions(answer)
  return (
    <fieldset aria-label="Narrow the search" className="flex flex-wrap items-center gap-1">
      {facets.map(({ key, label, any }) => {
        const chosen = filterValue(query, key)
        const options = [...known[key]]
        if (chosen !== null && !options.some(({ value }) => value === chosen))
          options.unshift({ value: chosen, count: 0 })
        // One value narrows nothing.
        if (chosen === null && options.length < 2) return null
        return (
          <Select
            key={key}
            quiet
            label={label}
            value={chosen ?? ''}
            onChange={(value) => onQuery(withFilter(query, key, value === '' ? null : value))}
            options={[
              { value: '', label: any },
              ...options.slice(0, optionsMax).map(({ value, count }) => ({
                value,
                label: labelOf(key, value),
                ...(count > 0 && {
                  hint: answer.countIsMinimum
                    ? `At least ${exactCount(count)}`
                    : counted(count, 'match', 'matches'),
                }),
              })),
            ]}
          />
        )
      })}
      <span className="flex-1" />
      <Select quiet label="Sort by" value={sort} onChange={onSort} options={sorts} />
    </fieldset>
  )
}

/** Longer lists are impractical to read; a filter can be typed. */
const optionsMax = 50

const labelOf = (key: Facet, value: string): string =>
  key === 'kind' && value in kindTexts ? kindTexts[value as keyof typeof kindTexts] : value

/** A filter's options stay those without it, so that another one can be chosen directly. */
function useOptions(answer: SearchAnswer): SearchFacets {
  const kept = useRef<{ words: string; facets: SearchFacets } | null>(null)
  const words = facets.reduce((text, { key }) => withFilter(text, key, null), answer.query)
  const before = kept.current?.words === words ? kept.current.facets : null
  const optionsOf = (key: Facet) =>
    filterValue(answer.query, key) === null ? answer.facets[key] : (before?.[key] ?? [])
  const now = { project: optionsOf('project'), agent: optionsOf('agent'), kind: optionsOf('kind') }
  useEffect(() => {
    kept.current = { words, facets: now }
  })
  return now
}
