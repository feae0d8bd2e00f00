/** The state of the fold of a transcript. */

import type { EntryId } from '../../records/ids.ts'
import type { TranscriptItem } from './transcript-items.ts'

export interface TranscriptFold {
  items: TranscriptItem[]
  /** The seq of the last entry folded; 0 if none was. */
  lastSeq: number
  title: string | null
  /** As of the last compaction; 1 before the first. */
  keptFromSeq: number
  /** The position in `items` of each turn, by the uuid of its message. */
  turnIndex: Map<EntryId, number>
  /** The positions in `items` of turns with a running call. */
  openTurns: Set<number>
}

export const emptyTranscript = (): TranscriptFold => ({
  items: [],
  lastSeq: 0,
  title: null,
  keptFromSeq: 1,
  turnIndex: new Map(),
  openTurns: new Set(),
})
