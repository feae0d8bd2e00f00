/** Where the matches of a search are in the whole transcript, for the marks on its scroll bar. */
import { createContext } from 'react'

interface FoundPlaces {
  /** Their entries, ascending. */
  seqs: readonly number[]
  /** The one that the reader is at. */
  current: number | null
}

export const FoundPlacesContext = createContext<FoundPlaces | null>(null)
