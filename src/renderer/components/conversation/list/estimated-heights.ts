/** The heights of rows before they are measured. Pure. */
import type { Row } from '../rows/row.ts'

/** Close enough that the scroll bar does not jump when rows are measured. */
export function estimatedHeight(row: Row | undefined): number {
  switch (row?.kind) {
    case 'text':
      return 12 + Math.max(1, Math.ceil(row.text.length / 95)) * 21
    case 'call':
      return row.call.name === 'task' ? 120 : 32
    case 'cards':
      return 48 + Math.min(row.calls.length, 20) * 28
    case 'mark':
      return 36
    case 'item':
      return row.item.kind === 'prompt' ? 32 + Math.ceil(row.item.text.length / 90) * 21 : 40
    default:
      return 30
  }
}

/** Where the row at `index` begins, in pixels below the first one; with the number of rows: where they end. */
export function estimatedStart(rows: Row[], index: number): number {
  let px = 0
  for (let at = 0; at < index && at < rows.length; at += 1) px += estimatedHeight(rows[at])
  return px
}
