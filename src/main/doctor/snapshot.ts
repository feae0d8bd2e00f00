/** The ledger's snapshot against its records: one that says something else would be believed by every start. */
import { emptyLedgerState, foldLedgerRecord } from '../../shared/projections/ledger-state.ts'
import type { JournalRecord } from '../journal/index.ts'
import { parseLedgerRecord } from '../ledger/ledger.ts'
import { isSameFold, readSnapshot, snapshotPathOf } from '../ledger/snapshot.ts'
import type { Case, Finding } from './finding.ts'

interface SnapshotExaminer {
  /** To be called with every record of the ledger, in order. */
  visit(record: JournalRecord): Promise<void>
  /** Asked at the end; null: it says what the records say, or no start would use it. */
  finding(): Finding | null
}

/** One that a start would not use is no finding: a crash may have cut it short, and nobody misses it. */
export async function examineSnapshot({
  ledger,
  layout,
}: Pick<Case, 'ledger' | 'layout'>): Promise<SnapshotExaminer> {
  const path = snapshotPathOf(layout.ledger)
  const read = await readSnapshot(path, layout.dataDir)
  const folded = emptyLedgerState(layout.dataDir)
  let isWrong = false
  return {
    async visit(record) {
      if (read.kind !== 'ok' || record.seq > read.snapshot.state.seq) return
      const parsed = parseLedgerRecord(record)
      if (parsed) foldLedgerRecord(folded, parsed)
      if (record.seq === read.snapshot.state.seq) isWrong = !isSameFold(read.snapshot.state, folded)
    },
    finding() {
      if (!isWrong) return null
      const detail =
        'says something else than the records of the ledger, and lists come from it; repair, then start Shiplog again'
      return { kind: 'snapshot-wrong', path, detail, repair: () => ledger.distrustSnapshot() }
    },
  }
}
