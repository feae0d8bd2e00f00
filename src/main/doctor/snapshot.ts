/** Compares the ledger's snapshot with its records, because every start trusts the snapshot. */

import { foldLedgerRecord } from '../../shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { JournalRecord } from '../journal/index.ts'
import { parseLedgerRecord } from '../ledger/ledger.ts'
import { isSameFold, readSnapshot, snapshotPathOf } from '../ledger/snapshot.ts'
import type { Case, Finding } from './finding.ts'

interface SnapshotExaminer {
  /** Call it with every record of the ledger, in order. */
  visit(record: JournalRecord): Promise<void>
  /** Call it at the end. Null if the snapshot equals the records, or no start would use it. */
  finding(): Finding | null
}

/**
 * A snapshot that no start would use is no finding: a crash may have truncated it, and nothing is
 * lost.
 */
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
        'differs from the records of the ledger, and lists come from it; repair, then start Shiplog again'
      return { kind: 'snapshot-wrong', path, detail, repair: () => ledger.distrustSnapshot() }
    },
  }
}
