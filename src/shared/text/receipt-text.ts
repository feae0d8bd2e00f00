import type { ReceiptSummary } from '../contract/retention.ts'

/**
 * What became of the transcripts of a receipt that are not in its trash any more: `restored`,
 * `2 restored, 3 permanently deleted`. `kept`: they never went. Empty where all are still there.
 */
export function whatBecameOf({
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
