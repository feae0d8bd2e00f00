/**
 * `receipts/<id>.json`: the items that one sweep removed, with reasons, written before any is moved (X3). See
 * FORMAT.md.
 */
import { basename, join } from 'node:path'
import { z } from 'zod'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import {
  type ReceiptItem,
  type ReceiptSummary,
  removedItemSchema,
  retentionSettingsSchema,
  sweptBySchema,
} from '../../shared/contract/retention.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { parseTaskId, receiptIdSchema, type TaskId } from '../../shared/records/ids.ts'
import { makeDirDurable, namesIn, readJsonFile, writeFileDurable } from '../journal/index.ts'

const receiptSchema = z.object({
  version: z.literal(1),
  id: receiptIdSchema,
  /** Milliseconds since the epoch. */
  atMs: z.number(),
  by: sweptBySchema,
  /** The settings that it applied. */
  settings: retentionSettingsSchema,
  items: z.array(removedItemSchema),
})
type Receipt = z.infer<typeof receiptSchema>

export interface Receipts {
  write(receipt: Omit<Receipt, 'version'>): Promise<void>
  /** Newest first, with the names of unreadable files, which are left unchanged. */
  list(): Promise<{ receipts: Receipt[]; unreadable: string[] }>
}

export function createReceipts(folder: string): Receipts {
  return {
    async write(receipt) {
      await makeDirDurable(folder)
      const text = `${JSON.stringify({ version: 1, ...receipt }, null, 2)}\n`
      await writeFileDurable(join(folder, `${receipt.id}.json`), text)
    },
    async list() {
      const names = await namesIn(folder)
      const receipts: Receipt[] = []
      const unreadable: string[] = []
      for (const name of names.filter((one) => /^[0-9a-f-]{36}\.json$/.test(one))) {
        const file = await readJsonFile(join(folder, name), receiptSchema)
        if (file.kind === 'ok' && `${file.value.id}.json` === name) receipts.push(file.value)
        else if (file.kind !== 'missing') unreadable.push(`${basename(folder)}/${name}`)
      }
      return { receipts: receipts.sort((a, b) => b.atMs - a.atMs), unreadable }
    },
  }
}

/** Returns the receipt with the present state of each item, from the ledger. Pure. */
export function withStates(
  { id, atMs, by, items }: Receipt,
  { tasks }: Pick<LedgerState, 'tasks'>,
  /** Names that are still in the trash. */
  inTheTrash: ReadonlySet<string>,
): ReceiptSummary & { items: ReceiptItem[] } {
  const listed = items.map((item): ReceiptItem => ({ ...item, state: stateOf(item.id, item.kind) }))
  const swept = listed.filter((item) => item.kind === 'transcript')
  const deleted = listed.filter((item) => item.kind !== 'transcript' && item.state === 'gone')
  const inTrash = swept.filter((item) => item.state === 'in-trash')
  const untils = inTrash.map((item) => expiryOf(item.id as TaskId)?.keptUntil ?? '')
  return {
    id,
    at: new Date(atMs).toISOString(),
    by,
    transcripts: swept.length,
    bytes: totalBytes(swept),
    inTrash: inTrash.length,
    keptUntil: untils.sort()[0] ?? null,
    restored: swept.filter((item) => item.state === 'restored').length,
    gone: swept.filter((item) => item.state === 'gone').length,
    deleted: deleted.length,
    deletedBytes: totalBytes(deleted),
    items: listed,
  }

  function expiryOf(taskId: TaskId) {
    const expired = tasks.get(taskId)?.transcriptExpired
    return expired?.receiptId === id ? expired : null
  }

  function stateOf(itemId: string, kind: ReceiptItem['kind']): ReceiptItem['state'] {
    if (kind === 'trashed-file' || kind === 'trashed-worktree')
      return inTheTrash.has(itemId) ? 'kept' : 'gone'
    const taskId = parseTaskId(itemId)
    if (!taskId) return 'gone'
    const task = tasks.get(taskId)
    if (kind === 'trashed-workspace') return task?.purged ? 'gone' : 'kept'
    if (kind === 'trashed-transcript') return task?.transcriptExpired?.purgedAt ? 'gone' : 'kept'
    const expired = expiryOf(taskId)
    if (!expired) {
      const restoredAt = task?.transcriptRestoredAt
      return restoredAt && Date.parse(restoredAt) >= atMs ? 'restored' : 'kept'
    }
    return expired.purgedAt || task?.purged ? 'gone' : 'in-trash'
  }
}
