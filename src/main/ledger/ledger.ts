/**
 * The ledger: the journal of the events of projects, workspaces, tasks and runs, with its fold. An
 * event is appended, then folded, then published, in one serial order, so that the in-memory state
 * follows the disk (T2).
 */

import { foldLedgerRecord } from '../../shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState, type LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { publishTo } from '../../shared/publish-to.ts'
import {
  type LedgerEvent,
  type LedgerRecord,
  ledgerVersion,
  parseLedgerEvent,
} from '../../shared/records/ledger.ts'
import {
  type Damage,
  type Healing,
  isWrittenByOthers,
  type Journal,
  type JournalRecord,
  openJournal,
} from '../journal/index.ts'
import { readSnapshot, removeSnapshot, snapshotPathOf, writeSnapshot } from './snapshot.ts'

/** Enough to bridge a lost connection without a new snapshot; a few hundred bytes each. */
const recentRecordsMax = 2_000
/** Fewer records are folded in a few milliseconds, which does not justify writing a snapshot. */
const snapshotAfterRecordsDefault = 1_000

export interface Ledger {
  /** The fold of all records. Its objects are replaced, never changed. */
  readonly state: LedgerState
  readonly healed: Healing[]
  readonly damage: Damage[]
  /** Records with a type or shape unknown to this version: kept on disk, not folded (J5). */
  readonly unknownRecords: number
  /**
   * Resolves when an append detects that another process has written the ledger. Nothing more is
   * recorded then.
   */
  readonly displaced: Promise<void>
  /**
   * Resolves once the events are durable, folded and published. They share one sync. Rejects with
   * JournalWriteError; then none of them was recorded.
   */
  record(...events: LedgerEvent[]): Promise<void>
  /** Calls `listener` after each fold, in order. Returns the unsubscribe function. */
  subscribe(listener: (records: LedgerRecord[]) => void): () => void
  /** Returns the records after `seq`, or null if they are no longer cached: then send the state. */
  recordsAfter(seq: number): LedgerRecord[] | null
  /** The seq of the last record in the loaded snapshot; 0 if all records were folded. */
  readonly snapshotSeq: number
  /** Deletes the snapshot and writes no more: it was found to differ from the records. */
  distrustSnapshot(): Promise<void>
  /** Writes a snapshot if one is due, then closes the journal. */
  close(): Promise<void>
}

interface LedgerOptions {
  snapshotAfterRecords?: number
  onListenerError?: (error: unknown) => void
  /** Transforms an event before it is written, folded and published. */
  prepare?: (event: LedgerEvent) => LedgerEvent
  /** Reports whether another process holds the lease now; then nothing more is written. */
  isDisplaced?: () => boolean
}

/**
 * Opens `ledger.jsonl` at `path`, heals it if necessary (J4), and folds its records, from its
 * snapshot on if that belongs to this ledger. A new snapshot is due after `snapshotAfterRecords`
 * more records. `onListenerError` receives what a listener throws; the record that it was called
 * with is kept.
 */
export async function openLedger(
  path: string,
  dataDir: string,
  {
    snapshotAfterRecords = snapshotAfterRecordsDefault,
    onListenerError = () => {},
    prepare = (event) => event,
    isDisplaced,
  }: LedgerOptions = {},
): Promise<Ledger> {
  const journal = await openJournal(path, { isDisplaced })
  const snapshotPath = snapshotPathOf(path)
  const known = await knownFold(journal, snapshotPath, dataDir)
  const state = known ?? emptyLedgerState(dataDir)
  const snapshotSeq = state.seq
  const listeners = new Set<(records: LedgerRecord[]) => void>()
  const recent: LedgerRecord[] = []
  let unknownRecords = 0
  for await (const stored of journal.records({ fromSeq: snapshotSeq + 1 })) {
    const record = parseLedgerRecord(stored)
    if (record) fold([record])
    else unknownRecords++
  }
  let snapshotWanted = true
  /** The last record of the snapshot on disk, or of the one being written. */
  let savedSeq = snapshotSeq
  let saving: Promise<void> = Promise.resolve()
  let lastPublished: Promise<void> = Promise.resolve()
  const displaced = Promise.withResolvers<void>()

  function fold(records: LedgerRecord[]): void {
    for (const record of records) foldLedgerRecord(state, record)
    recent.push(...records)
    // Trimmed in bulk, because removing the first element moves all others.
    if (recent.length > 2 * recentRecordsMax) recent.splice(0, recent.length - recentRecordsMax)
  }

  /** Never rejects, and is only awaited at close, because the ledger does not need it. */
  function saveSnapshot(): Promise<void> {
    if (!snapshotIsDue()) return saving
    savedSeq = state.seq
    const copy = copyOf(state)
    saving = saving
      .then(async () => {
        const link = await journal.sumAt(copy.seq)
        if (link !== null && snapshotWanted)
          await writeSnapshot(snapshotPath, { state: copy, link })
      })
      .catch(() => undefined)
    return saving
  }

  /**
   * Returns false for a damaged ledger, because another version of Shiplog may be able to read the
   * damaged records.
   */
  function snapshotIsDue(): boolean {
    const isWhole = journal.damage.length === 0 && unknownRecords === 0
    if (isDisplaced?.()) return false
    return snapshotWanted && isWhole && state.seq - savedSeq >= snapshotAfterRecords
  }

  async function record(...given: LedgerEvent[]): Promise<void> {
    const events = given.map(prepare)
    for (const event of events)
      if (!parseLedgerEvent({ v: ledgerVersion, ...event }))
        throw new TypeError(`an event ${event.type} that no later start could read`)
    const appended = journal.appendAll(events.map((event) => ({ v: ledgerVersion, ...event })))
    appended.catch((error) => {
      if (isWrittenByOthers(error)) displaced.resolve()
    })
    // A failed append must not prevent later ones from being published.
    const before = lastPublished.catch(() => undefined)
    lastPublished = appended.then(async (stored) => {
      await before
      const records = stored.map((one, index) => ({
        seq: one.seq,
        at: one.at,
        event: events[index] as LedgerEvent,
      }))
      fold(records)
      publishTo(listeners, records, onListenerError)
      void saveSnapshot()
    })
    await lastPublished
  }

  return {
    state,
    healed: journal.healed,
    damage: journal.damage,
    get unknownRecords() {
      return unknownRecords
    },
    displaced: displaced.promise,
    record,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recordsAfter(seq) {
      if (seq === state.seq) return []
      const [oldest] = recent
      // The negation also rejects NaN.
      if (!oldest || !(seq <= state.seq && seq >= oldest.seq - 1)) return null
      return recent.filter((one) => one.seq > seq)
    },
    snapshotSeq,
    async distrustSnapshot() {
      snapshotWanted = false
      await saving
      await removeSnapshot(snapshotPath)
    },
    async close() {
      await journal.flush()
      await lastPublished.catch(() => undefined)
      await saveSnapshot()
      await journal.close()
    },
  }
}

/**
 * Returns the fold in the snapshot if it is proved to belong to this ledger: the ledger has its
 * last record with the same checksum, which covers all records before it.
 */
async function knownFold(
  journal: Journal,
  path: string,
  dataDir: string,
): Promise<LedgerState | null> {
  // A fold that includes unreadable records would hide the damage.
  if (journal.damage.length > 0) return null
  const read = await readSnapshot(path, dataDir)
  if (read.kind !== 'ok') return null
  const { state, link } = read.snapshot
  return (await journal.sumAt(state.seq)) === link ? state : null
}

/** Copies only the maps, because the objects in them are replaced and never changed. */
function copyOf(state: LedgerState): LedgerState {
  return {
    ...state,
    projects: new Map(state.projects),
    removedProjects: new Map(state.removedProjects),
    tasks: new Map(state.tasks),
    trustedSetups: new Map(state.trustedSetups),
  }
}

/** Returns null if this version can't interpret the record. */
export function parseLedgerRecord(stored: JournalRecord): LedgerRecord | null {
  const event = parseLedgerEvent(stored)
  return event && { seq: stored.seq, at: stored.at, event }
}
