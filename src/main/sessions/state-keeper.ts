/**
 * Keeps the fold of an open session: computed on first use from the last checkpoint, then updated
 * with every entry. Nothing waits for a checkpoint, and a failure to write one only costs time.
 */

import type { BriefState } from '../../shared/projections/session/brief-state.ts'
import { foldSessionState } from '../../shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../shared/projections/session/session-state.ts'
import type { Entry } from '../../shared/records/entries.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import type { Journal } from '../journal/index.ts'
import { readCheckpoint, stateText, writeCheckpoint } from './checkpoint.ts'
import { addEarlierState } from './earlier-states.ts'

/** Entries or bytes after the last checkpoint that make another one due: a few milliseconds of folding. */
export const checkpointAfter = { entries: 1_000, bytes: 4 << 20 }

interface StateKeeper {
  /**
   * Resolves with the fold of all durable entries. It is updated in place: read it at once and
   * never change it.
   */
  state(): Promise<SessionState>
  /** Folds new entries once they are durable, in order. */
  added(entries: Entry[]): void
  /** Writes a checkpoint if one is due. Never rejects. Call it before closing the journal. */
  close(): Promise<void>
}

export function createStateKeeper({
  journal,
  dir,
  isDisplaced = () => false,
  onSaveFailed = () => {},
}: {
  journal: Pick<Journal, 'records' | 'sumAt' | 'damage' | 'bytes'>
  dir: string
  isDisplaced?: (() => boolean) | undefined
  onSaveFailed?: (error: unknown) => void
}): StateKeeper {
  let folded: Promise<SessionState> | null = null
  let earlier: BriefState[] = []
  let saved = { seq: 0, bytes: 0 }
  let saving: Promise<void> | null = null

  async function load(): Promise<SessionState> {
    const known = await knownCheckpoint()
    const state = known?.state ?? emptySessionState()
    earlier = known?.earlier ?? []
    if (known) saved = { seq: state.seq, bytes: known.bytes }
    for await (const record of journal.records({ fromSeq: state.seq + 1 }))
      fold(state, parseEntry(record))
    save(state)
    return state
  }

  function fold(state: SessionState, entry: Entry): void {
    foldSessionState(state, entry)
    addEarlierState(earlier, state)
  }

  async function knownCheckpoint(): ReturnType<typeof readCheckpoint> {
    // A fold that includes unreadable entries would hide the damage.
    if (journal.damage.length > 0) return null
    const checkpoint = await readCheckpoint(dir)
    if (!checkpoint || (await journal.sumAt(checkpoint.state.seq)) !== checkpoint.sum) return null
    return checkpoint
  }

  function save(state: SessionState): void {
    const { bytes } = journal
    const isDue =
      state.seq - saved.seq >= checkpointAfter.entries ||
      bytes - saved.bytes >= checkpointAfter.bytes
    if (!isDue || saving || journal.damage.length > 0 || isDisplaced()) return
    const { seq } = state
    saved = { seq, bytes }
    const checkpoint = { state: stateText(state), earlier: [...earlier], bytes }
    saving = journal
      .sumAt(seq)
      .then((sum) => (sum === null ? undefined : writeCheckpoint(dir, { ...checkpoint, sum })))
      .catch(onSaveFailed)
      .finally(() => {
        saving = null
      })
  }

  /** Caches the fold; a failed read may succeed the next time. */
  function keep(next: Promise<SessionState>): Promise<SessionState> {
    folded = next
    next.catch(() => {
      if (folded === next) folded = null
    })
    return next
  }

  return {
    state: () => folded ?? keep(load()),
    added(entries) {
      if (!folded) return
      void keep(
        folded.then((state) => {
          for (const entry of entries) fold(state, entry)
          save(state)
          return state
        }),
      )
    },
    async close() {
      const state = await folded?.catch(() => null)
      await saving
      if (state) save(state)
      await saving
    },
  }
}
