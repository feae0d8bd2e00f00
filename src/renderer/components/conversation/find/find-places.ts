/** Where the matches of a search are, for the marks on the scroll bar and for outputs that are kept in parts. */
import { createContext } from 'react'

interface FoundPlaces {
  /** Their entries, ascending. */
  seqs: readonly number[]
  /** The one that the reader is at. */
  current: number | null
}

/** The match that the reader is at, if it is in the output of a call. */
interface FoundMatch {
  /** The entry of the output. */
  seq: number
  /** Its position among the matches in the whole output, from 0. */
  nth: number
  pattern: RegExp
}

export const FoundMatchContext = createContext<FoundMatch | null>(null)
export const FoundPlacesContext = createContext<FoundPlaces | null>(null)
