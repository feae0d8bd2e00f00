/** Reads the folded state of a session, from its open journal or from an archive (G9). */
import { join } from 'node:path'
import type { BriefState } from '../../shared/projections/session/brief-state.ts'
import { foldSessionState } from '../../shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../shared/projections/session/session-state.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import {
  JournalClosedError,
  JournalReadError,
  readJournal,
  readJournalPage,
  readJournalSum,
} from '../journal/index.ts'
import { readCheckpoint } from './checkpoint.ts'
import { earlierStateAt } from './earlier-states.ts'
import type { Session } from './session.ts'
import { chatFile } from './session-files.ts'

/**
 * Returns the fold of the transcript in `dir` up to the entry `throughSeq`, or null if there is no
 * transcript. `open` is its session if it is open. The returned object may be updated in place by
 * later entries: read it at once and do not change it. Throws JournalReadError.
 */
export async function readSessionState(
  dir: string,
  open: Session | null = null,
  throughSeq = Number.POSITIVE_INFINITY,
): Promise<SessionState | null> {
  try {
    const live = open && (await open.state())
    if (live && live.seq <= throughSeq) return live
  } catch (error) {
    // Closed meanwhile: its file holds all entries.
    if (!(error instanceof JournalClosedError)) throw error
  }
  return foldFiles(dir, throughSeq).catch((error) => {
    if (error instanceof JournalReadError && error.code === 'ENOENT') return null
    throw error
  })
}

/**
 * Returns the stored state of the transcript in `dir` nearest to the entry `seq`, of that entry or
 * one before it; null if none is stored. Throws JournalReadError.
 */
export async function readEarlierState(dir: string, seq: number): Promise<BriefState | null> {
  const known = await provedCheckpoint(dir).catch((error) => {
    if (error instanceof JournalReadError && error.code === 'ENOENT') return null
    throw error
  })
  return known && earlierStateAt(known.earlier, seq)
}

async function foldFiles(dir: string, throughSeq: number): Promise<SessionState> {
  const state = (await knownState(dir, throughSeq)) ?? emptySessionState()
  for await (const record of readJournal(join(dir, chatFile), { fromSeq: state.seq + 1 })) {
    if (record.seq > throughSeq) break
    foldSessionState(state, parseEntry(record))
  }
  return state
}

async function knownState(dir: string, throughSeq: number): Promise<SessionState | null> {
  const state = (await provedCheckpoint(dir, throughSeq))?.state
  return state && state.seq <= throughSeq ? state : null
}

/** Returns the checkpoint in `dir` if it belongs to the transcript there; null otherwise. */
async function provedCheckpoint(
  dir: string,
  throughSeq?: number,
): ReturnType<typeof readCheckpoint> {
  const file = join(dir, chatFile)
  // A fold that includes unreadable entries would hide the damage.
  const { damage } = await readJournalPage(file, { last: 0, throughSeq })
  if (damage.length > 0) return null
  const checkpoint = await readCheckpoint(dir)
  if (!checkpoint) return null
  const sum = await readJournalSum(file, checkpoint.state.seq)
  return sum === checkpoint.sum ? checkpoint : null
}
