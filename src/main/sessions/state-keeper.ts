/**
 * Keeps the fold of a session that is being written: made when it is first asked for, from the last checkpoint on,
 * and from then on with every entry. Nobody waits for a checkpoint, and a disk that refuses it costs only time.
 */

import {
  emptySessionState,
  foldSessionState,
  type SessionState,
} from '../../shared/projections/session-state.ts'
import { type Entry, parseEntry } from '../../shared/records/entries.ts'
import type { Journal } from '../journal/index.ts'
import { readCheckpoint, stateText, writeCheckpoint } from './checkpoint.ts'

/** What is folded again after the last checkpoint: some milliseconds' worth of either. */
export const checkpointAfter = { entries: 1_000, bytes: 4 << 20 }

interface StateKeeper {
  /** The fold of all durable entries, which goes on in place: it is read at once and never changed. */
  state(): Promise<SessionState>
  /** Told of entries once they are durable, in order. */
  added(entries: Entry[]): void
  /** Writes a checkpoint when one is due. Never rejects. Before the journal is closed. */
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
  let saved = { seq: 0, bytes: 0 }
  let saving: Promise<void> | null = null

  async function load(): Promise<SessionState> {
    const state = (await knownState()) ?? emptySessionState()
    for await (const record of journal.records({ fromSeq: state.seq + 1 }))
      foldSessionState(state, parseEntry(record))
    save(state)
    return state
  }

  async function knownState(): Promise<SessionState | null> {
    // A fold that knows more than can be read would hide the damage.
    if (journal.damage.length > 0) return null
    const checkpoint = await readCheckpoint(dir)
    if (!checkpoint || (await journal.sumAt(checkpoint.state.seq)) !== checkpoint.sum) return null
    saved = { seq: checkpoint.state.seq, bytes: checkpoint.bytes }
    return checkpoint.state
  }

  function save(state: SessionState): void {
    const { bytes } = journal
    const isDue =
      state.seq - saved.seq >= checkpointAfter.entries ||
      bytes - saved.bytes >= checkpointAfter.bytes
    if (!isDue || saving || journal.damage.length > 0 || isDisplaced()) return
    const { seq } = state
    saved = { seq, bytes }
    const text = stateText(state)
    saving = journal
      .sumAt(seq)
      .then((sum) => (sum === null ? undefined : writeCheckpoint(dir, { state: text, sum, bytes })))
      .catch(onSaveFailed)
      .finally(() => {
        saving = null
      })
  }

  /** What could not be read may be read the next time. */
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
          for (const entry of entries) foldSessionState(state, entry)
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
