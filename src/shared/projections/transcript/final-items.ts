/**
 * Folds a stream of entries into items that no later entry changes, so that a transcript of any length can be
 * rendered piece by piece: only the turn in progress, and what came after it began, is held back. Pure.
 */
import type { Entry } from '../../records/entries.ts'
import type { PartialMessage } from '../../records/entry-types/messages.ts'
import { withPartial } from './live-items.ts'
import { foldEntries } from './transcript.ts'
import { emptyTranscript } from './transcript-fold.ts'
import type { TranscriptItem } from './transcript-items.ts'

interface FinalItems {
  /** The items that these entries make final. */
  add(entries: Iterable<Entry>): TranscriptItem[]
  /** Returns the remaining items, with the unfinished message in its place. `live`: its agent is still running. */
  end(ending?: { partial?: PartialMessage | null; live?: boolean }): TranscriptItem[]
}

export function createFinalItems(): FinalItems {
  /** The entries of the turn in progress, and those after its start. */
  let held: Entry[] = []
  return {
    add(entries) {
      held.push(...entries)
      const { items } = foldEntries(emptyTranscript(), held)
      const lastTurn = items.findLastIndex((item) => item.kind === 'turn')
      const heldFromSeq = items[lastTurn]?.seq ?? Number.POSITIVE_INFINITY
      held = held.filter((entry) => entry.seq >= heldFromSeq)
      return lastTurn < 0 ? items : items.slice(0, lastTurn)
    },
    end({ partial = null, live = false } = {}) {
      const fold = foldEntries(emptyTranscript(), held)
      held = []
      return withPartial(fold, partial, live)
    },
  }
}
