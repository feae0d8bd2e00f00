import type { ReceiptSummary } from '../contract/retention.ts'

/**
 * Describes the transcripts of a receipt that are no longer in the trash: `restored`, `2 restored, 3 permanently
 * deleted`. `kept`: they were never moved. Empty if all are in the trash.
 */
export function receiptOutcomeText({
  transcripts,
  inTrash,
  restored,
  gone,
}: Pick<ReceiptSummary, 'transcripts' | 'inTrash' | 'restored' | 'gone'>): string {
  const part = (count: number, words: string) =>
    count === 0 ? [] : [count === transcripts ? words : `${count} ${words}`]
  const kept = transcripts - inTrash - restored - gone
  return [
    ...part(restored, 'restored'),
    ...part(gone, 'permanently deleted'),
    ...part(kept, 'kept'),
  ].join(', ')
}
