/**
 * A contiguous run of a transcript's entries, bounded, growing at both ends. Pure. Folding goes forwards
 * only, so entries put before the others fold the window again; that is what bounds its size.
 */

import {
  emptyTranscript,
  foldEntries,
  type TranscriptFold,
} from '../../shared/projections/transcript.ts'
import type { Entry } from '../../shared/records/entries.ts'

/** About 20 pages. Folding as many takes a few milliseconds, and they hold a few megabytes. */
export const windowEntriesMax = 4_000
/** Cut in steps, so that following a live session does not fold again at every entry. */
const cutEntries = 1_000

export interface EntryWindow {
  entries: Entry[]
  fold: TranscriptFold
}

export const emptyWindow = (): EntryWindow => ({ entries: [], fold: emptyTranscript() })

/** 0 for an empty window. */
export const firstSeqOf = ({ entries }: EntryWindow): number => entries[0]?.seq ?? 0
export const lastSeqOf = ({ entries }: EntryWindow): number => entries.at(-1)?.seq ?? 0

export const windowOf = (entries: Entry[]): EntryWindow => ({
  entries: [...entries],
  fold: foldEntries(emptyTranscript(), entries),
})

/**
 * Adds entries at the end, in place where it can; those it has already are passed over. Null when they
 * do not join on: something between is missing. What gets too long loses its oldest entries.
 */
export function appendEntries(window: EntryWindow, added: Entry[]): EntryWindow | null {
  const last = lastSeqOf(window)
  const fresh = added.filter((entry) => entry.seq > last)
  const [first] = fresh
  if (!first) return window
  if (window.entries.length > 0 && first.seq !== last + 1) return null
  window.entries.push(...fresh)
  foldEntries(window.fold, fresh)
  const { length } = window.entries
  return length <= windowEntriesMax
    ? window
    : windowOf(window.entries.slice(length - windowEntriesMax + cutEntries))
}

/** Adds older entries at the start. What gets too long loses its newest entries. */
export function prependEntries(window: EntryWindow, older: Entry[]): EntryWindow {
  const first = firstSeqOf(window)
  const fresh = first === 0 ? older : older.filter((entry) => entry.seq < first)
  return windowOf([...fresh, ...window.entries].slice(0, windowEntriesMax))
}
