/**
 * A contiguous, bounded range of a transcript's entries that grows at both ends. Pure. Folding only
 * goes forward, so prepended entries require a new fold of the window; the bound keeps that cheap.
 */

import { foldEntries } from '../../../shared/projections/transcript/transcript.ts'
import {
  emptyTranscript,
  type TranscriptFold,
} from '../../../shared/projections/transcript/transcript-fold.ts'
import type { Entry } from '../../../shared/records/entries.ts'

/** About 20 pages. Folding them takes a few milliseconds, and they hold a few megabytes. */
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
 * Appends entries, in place if possible; skips those it already has. Returns null if entries in
 * between are missing. If the window gets too long, its oldest entries are dropped.
 */
export function appendEntries(window: EntryWindow, added: Entry[]): EntryWindow | null {
  const last = lastSeqOf(window)
  const newer = added.filter((entry) => entry.seq > last)
  const [first] = newer
  if (!first) return window
  if (window.entries.length > 0 && first.seq !== last + 1) return null
  window.entries.push(...newer)
  foldEntries(window.fold, newer)
  const { length } = window.entries
  return length <= windowEntriesMax
    ? window
    : windowOf(window.entries.slice(length - windowEntriesMax + cutEntries))
}

/** Prepends older entries. If the window gets too long, its newest entries are dropped. */
export function prependEntries(window: EntryWindow, added: Entry[]): EntryWindow {
  const first = firstSeqOf(window)
  const older = first === 0 ? added : added.filter((entry) => entry.seq < first)
  return windowOf([...older, ...window.entries].slice(0, windowEntriesMax))
}
