/**
 * The ledger: the journal of what happened to projects, workspaces, tasks and runs, with its fold.
 * Memory follows disk: an event is appended, then folded, then published, in one serial order (T2).
 */
import {
  type LedgerEvent,
  type LedgerRecord,
  ledgerEventSchema,
  ledgerVersion,
} from '../../shared/ledger.ts'
import {
  emptyLedgerState,
  foldLedgerRecord,
  type LedgerState,
} from '../../shared/projections/ledger-state.ts'
import { type Damage, type Healing, type JournalRecord, openJournal } from '../journal/index.ts'

/** Enough to bridge a lost connection without a new snapshot; a few hundred bytes each. */
const recentRecordsMax = 2_000

export interface Ledger {
  /** The fold of everything recorded. Its objects are never changed, only replaced. */
  readonly state: LedgerState
  readonly healed: Healing[]
  readonly damage: Damage[]
  /** Records of a type or shape this version does not know: kept on disk, not folded (J5). */
  readonly notUnderstood: number
  /**
   * Resolves once the events are durable, folded and published. They share one sync.
   * Rejects with JournalWriteError; then none of them happened.
   */
  record(...events: LedgerEvent[]): Promise<void>
  /** Calls `listener` after each fold, in order. Returns what ends it. */
  subscribe(listener: (records: LedgerRecord[]) => void): () => void
  /** The records after `seq`, or null when they are too long ago: then send the state. */
  recordsAfter(seq: number): LedgerRecord[] | null
  close(): Promise<void>
}

/** Opens `ledger.jsonl` at `path`, healing it if need be (J4), and folds what it holds. */
export async function openLedger(path: string, dataDir: string): Promise<Ledger> {
  const journal = await openJournal(path)
  const state = emptyLedgerState(dataDir)
  const listeners = new Set<(records: LedgerRecord[]) => void>()
  const recent: LedgerRecord[] = []
  let notUnderstood = 0
  for await (const stored of journal.records()) {
    const record = parseLedgerRecord(stored)
    if (record) fold([record])
    else notUnderstood++
  }
  let lastPublished: Promise<void> = Promise.resolve()

  function fold(records: LedgerRecord[]): void {
    for (const record of records) foldLedgerRecord(state, record)
    recent.push(...records)
    if (recent.length > recentRecordsMax) recent.splice(0, recent.length - recentRecordsMax)
  }

  async function record(...events: LedgerEvent[]): Promise<void> {
    const appended = journal.appendAll(events.map((event) => ({ v: ledgerVersion, ...event })))
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
      for (const listener of listeners) listener(records)
    })
    await lastPublished
  }

  return {
    state,
    healed: journal.healed,
    damage: journal.damage,
    get notUnderstood() {
      return notUnderstood
    },
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
    close: () => journal.close(),
  }
}

function parseLedgerRecord(stored: JournalRecord): LedgerRecord | null {
  const parsed = ledgerEventSchema.safeParse(stored)
  if (!parsed.success || stored.v > ledgerVersion) return null
  return { seq: stored.seq, at: stored.at, event: parsed.data }
}
