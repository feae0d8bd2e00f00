import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { SearchHit } from '../../../shared/contract/search.ts'
import { useStores } from '../../store/hooks.ts'
import { createSearchStore } from '../../store/search/search-store.ts'

/** Enough to recognise what was meant; the search has all of them. */
const hitsShownMax = 6
/** A single letter matches nearly every text. */
const charsMin = 2

/** Returns what the search finds for the text, the best first: in transcripts and reports, for titles are listed anyway. */
export function useTextHits(text: string): SearchHit[] {
  const { client } = useStores()
  const [store] = useState(() => createSearchStore({ client, limit: hitsShownMax * 2 }))
  useEffect(() => () => store.close(), [store])
  const query = text.trim()
  useEffect(() => {
    store.ask(query.length < charsMin ? '' : query)
  }, [store, query])
  const { answer, problem } = useStore(store.store)
  if (problem || !answer || query.length < charsMin) return []
  return answer.hits.filter(({ kind }) => kind !== 'title').slice(0, hitsShownMax)
}
