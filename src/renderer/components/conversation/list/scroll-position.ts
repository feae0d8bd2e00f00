/** Where the rows of a list are in the whole transcript, as entries, pixels and text. Pure. */
import { firstIndexOf } from '../../../../shared/collections/first-index.ts'
import { exactCount, timeOfDay } from '../../primitives/format.ts'
import { entrySeqOf, type Row } from '../rows/row.ts'
import { turnAt } from '../rows/row-positions.ts'

/** The whole transcript, and the part of it that is loaded. */
export interface Extent {
  firstSeq: number
  lastSeq: number
  total: number
  /** The number of its last turn; null while it is unknown. */
  turns: number | null
}

/** Returns the seqs of the rows, ascending: a turn's text rows count as the calls above them. */
export function risingSeqs(rows: Row[]): number[] {
  let seq = 0
  return rows.map((row) => {
    seq = Math.max(seq, entrySeqOf(row))
    return seq
  })
}

/** Returns where the first row from entry `seq` on begins, in pixels of the list. */
export function startOfSeq(
  seq: number,
  seqs: number[],
  list: { measurementsCache: { start: number }[]; getTotalSize(): number },
): number {
  const first = firstIndexOf(seqs, (each) => each >= seq)
  return list.measurementsCache[first]?.start ?? list.getTotalSize()
}

/** "Turn 1,204 of 4,025 · 14:03" of the row at `index`. */
export function positionText(rows: Row[], index: number, { total, turns }: Extent): string {
  const turn = turnAt(rows, index)
  const row = rows[index]
  const place =
    turn === null || turns === null
      ? `Entry ${exactCount(row ? entrySeqOf(row) : 1)} of ${exactCount(total)}`
      : `Turn ${exactCount(turn)} of ${exactCount(Math.max(turn, turns))}`
  return row?.at ? `${place} · ${timeOfDay(row.at)}` : place
}
