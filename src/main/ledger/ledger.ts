/**
 * The ledger: the journal of what happened to projects, workspaces, tasks and runs, with its fold.
 * Memory follows disk: an event is appended, then folded, then published, in one serial order (T2).
 */

import {
  emptyLedgerState,
  foldLedgerRecord,
  type LedgerState,
} from '../../shared/projections/ledger-state.ts'
import { publishTo } from '../../shared/publish.ts'
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
/** Folded in a few milliseconds: a snapshot is worth its writing only when it saves more than that. */
const snapshotAfterRecordsDefault = 1_000

export interface Ledger {
  /** The fold of everything recorded. Its objects are never changed, only replaced. */
  readonly state: LedgerState
  readonly healed: Healing[]
  readonly damage: Damage[]
  /** Records of a type or shape this version does not know: kept on disk, not folded (J5). */
  readonly unknownRecords: number
  /** Resolves once an append found that another process has written the ledger. Nothing more is recorded then. */
  readonly displaced: Promise<void>
  /**
   * Resolves once the events are durable, folded and published. They share one sync.
   * Rejects with JournalWriteError; then none of them happened.
   */
  record(...events: LedgerEvent[]): Promise<void>
  /** Calls `listener` after each fold, in order. Returns what ends it. */
  subscribe(listener: (records: LedgerRecord[]) => void): () => void
  /** The records after `seq`, or null when they are too long ago: then send the state. */
  recordsAfter(seq: number): LedgerRecord[] | null
  /** The record that the fold was read up to from the snapshot; 0 when all of it was folded. */
  readonly snapshotSeq: number
  /** Takes the snapshot away and writes none any more: it was found to say something else than the records. */
  distrustSnapshot(): Promise<void>
  /** Writes a snapshot when one is due. */
  close(): Promise<void>
}

interface LedgerOptions {
  snapshotAfterRecords?: number
  onListenerError?: (error: unknown) => void
  /** What becomes of an event before it is written; what it gives is what everybody gets. */
  prepare?: (event: LedgerEvent) => LedgerEvent
  /** Whether another process has the lease now: then nothing more is written. */
  isDisplaced?: () => boolean
}

/**
 * Opens `ledger.jsonl` at `path`, healing it if need be (J4), and folds what it holds, from its snapshot on
 * when that is one of this ledger. `snapshotAfterRecords`: how many more records make a new one due.
 * `onListenerError` receives what a listener throws; the record that it was called with stands.
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
  /** The record up to which the file holds the fold, or will once it is written. */
  let savedSeq = snapshotSeq
  let saving: Promise<void> = Promise.resolve()
  let lastPublished: Promise<void> = Promise.resolve()
  const displaced = Promise.withResolvers<void>()

  function fold(records: LedgerRecord[]): void {
    for (const record of records) foldLedgerRecord(state, record)
    recent.push(...records)
    // Not one by one: taking the first of many away moves all the others.
    if (recent.length > 2 * recentRecordsMax) recent.splice(0, recent.length - recentRecordsMax)
  }

  /** Never rejects, and is never waited for but at the end: the ledger does without. */
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

  /** Not of a ledger with holes: what could not be read then may be read by another Shiplog. */
  function snapshotIsDue(): boolean {
    const isWhole = journal.damage.length === 0 && unknownRecords === 0
    if (isDisplaced?.()) return false
    return snapshotWanted && isWhole && state.seq - savedSeq >= snapshotAfterRecords
  }

  async function record(...given: LedgerEvent[]): Promise<void> {
    const events = given.map(prepare)
    const appended = journal.appendAll(events.map((event) => ({ v: ledgerVersion, ...event })))
    appended.catch((error) => {
      if (isWrittenByOthers(error)) displaced.resolve()
    })
    // An append that failed must not stop those behind it from being published.
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
      // Also for what is no number: then nothing is known of what the client has.
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
 * The fold that the snapshot holds, when it is proved to be one of this ledger: the record that it ends
 * with is there, and its checksum, which stands for all before it, is the same.
 */
async function knownFold(
  journal: Journal,
  path: string,
  dataDir: string,
): Promise<LedgerState | null> {
  // A fold that knows more than can be read would hide the damage.
  if (journal.damage.length > 0) return null
  const read = await readSnapshot(path, dataDir)
  if (read.kind !== 'ok') return null
  const { state, link } = read.snapshot
  return (await journal.sumAt(state.seq)) === link ? state : null
}

/** Its objects are replaced and never changed, so its maps are all that has to be copied. */
function copyOf(state: LedgerState): LedgerState {
  return {
    ...state,
    projects: new Map(state.projects),
    removedProjects: new Map(state.removedProjects),
    tasks: new Map(state.tasks),
    trustedSetups: new Map(state.trustedSetups),
  }
}

/** Null when this version does not understand it. */
export function parseLedgerRecord(stored: JournalRecord): LedgerRecord | null {
  const event = parseLedgerEvent(stored)
  return event && { seq: stored.seq, at: stored.at, event }
}
