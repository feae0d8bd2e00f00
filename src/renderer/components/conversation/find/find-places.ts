/** The places of the matches of a search, for the marks on the scroll bar and for outputs that are loaded in parts. */
import { createContext } from 'react'

interface FoundPlaces {
  /** The seqs of entries with a match, ascending. */
  seqs: readonly number[]
  /** The seq of the current match; null: none. */
  current: number | null
}

/** The current match, if it is in the output of a call. */
interface FoundMatch {
  /** The entry of the output. */
  seq: number
  /** Its position among the matches in the whole output, from 0. */
  nth: number
  pattern: RegExp
}

export const FoundMatchContext = createContext<FoundMatch | null>(null)
export const FoundPlacesContext = createContext<FoundPlaces | null>(null)
