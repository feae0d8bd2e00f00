/** Where entries and turns are among the rows. Pure. */
import { firstIndexOf } from '../../../../shared/collections/first-index.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import { callsOf, type Row } from './row.ts'

/**
 * Returns the index of the row that shows entry `seq`: the last one that does not begin after it.
 * -1 before the first.
 */
export function rowIndexOfSeq(rows: Row[], seq: number): number {
  const found = firstIndexOf(rows, (row) => row.seq > seq) - 1
  // The first of the rows with the same seq.
  let first = found
  while (first > 0 && rows[first - 1]?.seq === rows[found]?.seq) first -= 1
  const inTurn = rows.slice(first, found + 1)
  const call = inTurn.findIndex((row) => callsOf(row).some(isAt(seq)))
  // A message comes after its calls, and its text usually stands above them.
  const text = inTurn.findIndex((row) => row.kind === 'text' && row.messageSeq === seq)
  return first + Math.max(0, call >= 0 ? call : text)
}

/** Whether an entry is a call, its result, or was written while it ran. */
const isAt =
  (seq: number) =>
  ({ seq: from, resultSeq: to }: ToolCallView): boolean =>
    from !== null && from <= seq && seq <= (to ?? from)

/** Whether the row at `index` is the first of its turn. */
export function startsTurn(rows: Row[], index: number): boolean {
  const row = rows[index]
  if (!row || !('turn' in row)) return false
  const before = rows[index - 1]
  return !before || !('turn' in before) || before.turn !== row.turn
}

/** Returns the turn of the row at `index`, or of the last one above it that has one. */
export function turnAt(rows: Row[], index: number): number | null {
  for (let at = index; at >= 0; at -= 1) {
    const row = rows[at]
    if (row && 'turn' in row) return row.turn
  }
  return null
}
