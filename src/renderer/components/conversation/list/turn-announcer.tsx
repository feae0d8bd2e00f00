import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'

/** Announces complete turns to screen readers, not every word. */
export function TurnAnnouncer({ items }: { items: TranscriptItem[] }) {
  const last = items.findLast((item) => item.kind === 'turn' && item.status === 'complete')
  return (
    <p role="log" aria-live="polite" className="sr-only">
      {last?.kind === 'turn' ? `Turn ${last.turn} ended` : ''}
    </p>
  )
}
