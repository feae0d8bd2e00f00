import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { SearchHit, SearchKind } from '../../../shared/contract/search.ts'
import { useStores } from '../../store/hooks.ts'
import { createSearchStore } from '../../store/search/search-store.ts'

/** The search screen lists the rest. */
const hitsShownMax = 6
/** A single letter matches nearly every text. */
const charsMin = 2

/** Titles are listed by the palette itself; records of other tools, which Shiplog doesn't know, are mostly ids. */
const unlisted = new Set<SearchKind>(['title', 'foreign'])

/** Returns the best hits for the text in transcripts and reports, without titles, which the palette lists itself. */
export function useTextHits(text: string): SearchHit[] {
  const { client } = useStores()
  const [store] = useState(() => createSearchStore({ client, limit: hitsShownMax * 2 }))
  useEffect(() => () => store.close(), [store])
  const query = text.trim()
  useEffect(() => {
    store.setQuery(query.length < charsMin ? '' : query)
  }, [store, query])
  const { answer, problem } = useStore(store.store)
  if (problem || !answer || query.length < charsMin) return []
  return answer.hits.filter(({ kind }) => !unlisted.has(kind)).slice(0, hitsShownMax)
}
