/** Looks receipts up, by id or unique prefix, with the present state of their items. */
import type { ReceiptItem, ReceiptSummary, RemovalReason } from '../../shared/contract/retention.ts'
import { FailureError } from '../../shared/failure.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { parseTaskId, type ReceiptId, resolveId, type TaskId } from '../../shared/records/ids.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { namesInTrash } from '../sessions/trash-names.ts'
import { type Receipts, withStates } from './receipts.ts'

export function createReceiptLookup({
  state,
  layout,
  receipts,
}: {
  state: LedgerState
  layout: DataLayout
  receipts: Receipts
}) {
  async function summaries() {
    const { receipts: all, unreadable } = await receipts.list()
    const inTrash = new Set(await namesInTrash(layout.trash))
    return { all: all.map((one) => withStates(one, state, inTrash)), unreadable }
  }

  /** Returns the reason for each expired transcript, from the receipts that the ledger refers to. */
  async function expiryReasons(): Promise<Map<TaskId, RemovalReason>> {
    const { receipts: all } = await receipts.list()
    const reasons = new Map<TaskId, RemovalReason>()
    for (const { id, items } of all) {
      for (const item of items) {
        const taskId = item.kind === 'transcript' ? parseTaskId(item.id) : null
        if (taskId && state.tasks.get(taskId)?.transcriptExpired?.receiptId === id)
          reasons.set(taskId, item.reason)
      }
    }
    return reasons
  }

  async function receipt(text: string): Promise<ReceiptSummary & { items: ReceiptItem[] }> {
    const { all } = await summaries()
    const id = await receiptIdOf(text)
    const found = all.find((one) => one.id === id)
    const file = `receipts/${id}.json`
    const reason = 'it is missing, or not a receipt'
    if (!found) throw new FailureError({ kind: 'damaged', what: 'receipt', id, file, reason })
    return found
  }

  /** Also resolves receipts that only the ledger refers to, because their files may be damaged. */
  async function receiptIdOf(text: string): Promise<ReceiptId> {
    const ids = new Set((await receipts.list()).receipts.map((one) => one.id))
    for (const { transcriptExpired } of state.tasks.values())
      if (transcriptExpired) ids.add(transcriptExpired.receiptId)
    const found = resolveId(text, ids)
    const what = 'receipt'
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') throw new FailureError({ kind: 'not-found', what, id: text })
    throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
  }

  return { summaries, expiryReasons, receipt, receiptIdOf }
}
