import { type ReactNode, useState } from 'react'
import type { ReceiptItem, ReceiptSummary } from '../../../shared/contract/retention.ts'
import { dayOf } from '../../../shared/text/format-time.ts'
import { receiptOutcomeText } from '../../../shared/text/receipt-text.ts'
import { counted } from '../primitives/format.ts'
import { Button, Bytes, FactLine, RelativeTime, Skeleton, TextButton } from '../primitives/index.ts'
import { RemovedList } from './removed-list.tsx'

/** The receipts of all sweeps, newest first. Items that are still in the trash can be restored. */
export function ReceiptList(props: {
  receipts: ReceiptSummary[]
  /** Null while they are being read. */
  itemsOf(receipt: ReceiptSummary): ReceiptItem[] | null
  /** Called when a receipt is opened. */
  onOpen(receipt: ReceiptSummary): void
  onUndo(receipt: ReceiptSummary): void
  /** The receipt that is being undone. */
  busy: string | null
  /** The progress of that, such as "Restored 120 of 269…"; shown in place of its state. */
  progress?: string | null
}) {
  const { receipts, itemsOf, onOpen, onUndo, busy, progress = null } = props
  const [opened, setOpened] = useState<string | null>(null)
  if (receipts.length === 0) return <p className="text-muted">Nothing has been removed yet.</p>
  return (
    <ul aria-label="Receipts" className="flex flex-col">
      {receipts.map((receipt) => {
        const isOpen = opened === receipt.id
        const items = isOpen ? itemsOf(receipt) : null
        return (
          <li key={receipt.id} className="border-b last:border-b-0">
            <div className="flex min-h-11 items-center gap-3 py-1">
              <div className="min-w-0 flex-1">
                <p className="truncate">{whatOf(receipt)}</p>
                <FactLine>
                  <RelativeTime at={receipt.at} />
                  <span>{sweptBy[receipt.by]}</span>
                  <span role={busy === receipt.id ? 'status' : undefined}>
                    {(busy === receipt.id ? progress : null) ?? stateOf(receipt)}
                  </span>
                </FactLine>
              </div>
              <TextButton
                aria-expanded={isOpen}
                aria-label={`Details of the receipt of ${dayOf(receipt.at)}`}
                onClick={() => {
                  setOpened(isOpen ? null : receipt.id)
                  if (!isOpen) onOpen(receipt)
                }}
              >
                Details
              </TextButton>
              {receipt.inTrash > 0 ? (
                <Button
                  size="small"
                  busy={busy === receipt.id}
                  aria-label={`Undo the clean-up of ${dayOf(receipt.at)}`}
                  onClick={() => onUndo(receipt)}
                >
                  Undo
                </Button>
              ) : null}
            </div>
            {isOpen ? (
              <div className="pb-2">
                {items ? <RemovedList items={items} /> : <Skeleton lines={3} className="py-1" />}
              </div>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}

function whatOf({ transcripts, bytes, deleted, deletedBytes }: ReceiptSummary): ReactNode {
  const parts: ReactNode[] = []
  if (transcripts > 0)
    parts.push(
      <span key="swept">
        {counted(transcripts, 'transcript')} to the trash,{' '}
        <Bytes count={bytes} className="text-muted" />
      </span>,
    )
  if (deleted > 0)
    parts.push(
      <span key="deleted">
        {parts.length > 0 ? '; ' : ''}
        {counted(deleted, 'item')} permanently deleted,{' '}
        <Bytes count={deletedBytes} className="text-muted" />
      </span>,
    )
  return parts.length > 0 ? parts : 'Nothing could be removed'
}

function stateOf(receipt: ReceiptSummary): string {
  const { inTrash, transcripts, keptUntil } = receipt
  if (transcripts === 0) return 'permanently deleted'
  const ended = receiptOutcomeText(receipt)
  if (inTrash === 0 || !keptUntil) return ended
  const can = `${inTrash === transcripts ? '' : `${inTrash} of them `}can be restored until ${dayOf(keptUntil)}`
  return ended === '' ? can : `${ended}; ${can}`
}

const sweptBy: Record<ReceiptSummary['by'], string> = {
  start: 'at start',
  person: 'manual',
  budget: 'the trash was full',
}
