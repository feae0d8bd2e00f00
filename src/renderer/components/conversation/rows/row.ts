/** One row of the virtual list: what it shows, and the entries that it shows. Pure. */
import type { Damage } from '../../../../shared/contract/workspace.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import type {
  ToolCallView,
  TurnBlock,
} from '../../../../shared/projections/transcript/turn-blocks.ts'

export type TurnItem = Extract<TranscriptItem, { kind: 'turn' }>
export type RetryItem = Extract<TranscriptItem, { kind: 'retry' }>
export type OtherItem = Exclude<TranscriptItem, { kind: 'turn' | 'retry' }>

export type Row =
  | { kind: 'item'; key: string; seq: number; at: string | null; item: OtherItem }
  /** A change of time, branch or directory. */
  | {
      kind: 'mark'
      key: string
      seq: number
      at: string
      /** On another day than the mark before, or the first one. */
      isNewDay: boolean
      branch: string | null
      cwd: string | null
    }
  | ({ kind: 'text'; text: string; live: boolean } & InTurn)
  | ({ kind: 'reasoning'; text: string; live: boolean } & InTurn)
  | ({ kind: 'image'; image: Extract<TurnBlock, { kind: 'image' }> } & InTurn)
  | ({ kind: 'call'; call: ToolCallView } & InTurn)
  /** Consecutive small calls, folded into one line. */
  | ({ kind: 'calls'; calls: ToolCallView[] } & InTurn)
  /** Many tasks started by one turn, as a table. */
  | ({ kind: 'cards'; calls: ToolCallView[] } & InTurn)
  /** A turn that was cut short, or that is in progress and has no text yet. */
  | ({ kind: 'turn-note'; note: 'cut-short' | 'cut-before-anything' | 'working' } & InTurn)
  /**
   * A failed attempt with the rows of its output; `retry` is null if its entry is not loaded. `earlier`: attempts without
   * output just before it that failed for the same reason. `next`: what followed it; null if nothing has.
   */
  | ({
      kind: 'attempt'
      retry: RetryItem | null
      earlier: RetryItem[]
      rows: Row[]
      next: { kind: 'attempt' | 'run-end'; at: string | null } | null
    } & InTurn)
  | { kind: 'damage'; key: string; seq: number; at: null; damage: Damage }

interface InTurn {
  key: string
  /** The seq of the turn's first entry. */
  seq: number
  /** The seq of its message; null if that was not read or does not exist yet. */
  messageSeq: number | null
  turn: number
  at: string | null
  cwd: string | null
}

/** Returns the entry that a row stands for. */
export const entrySeqOf = (row: Row): number =>
  (row.kind === 'call' ? row.call.seq : callsOf(row)[0]?.seq) ?? row.seq

/** Beyond this, the entries of the calls of one row are shown with each call. */
const entriesOfRowMax = 24

/** The entries that a row shows, in file order. */
export function entriesOf(row: Row): number[] {
  if (row.kind === 'mark' || row.kind === 'damage') return []
  if (row.kind === 'item') return [row.seq]
  if (row.kind === 'attempt') {
    const seqs = [
      ...row.earlier.map(({ seq }) => seq),
      ...row.rows.flatMap(entriesOf),
      row.messageSeq,
      row.retry?.seq ?? null,
    ]
    return [...new Set(seqs.filter((seq) => seq !== null))].slice(-entriesOfRowMax)
  }
  const calls = callsOf(row)
  const seqs =
    calls.length > 0 ? calls.flatMap((call) => [call.seq, call.resultSeq]) : [row.messageSeq]
  return seqs.filter((seq) => seq !== null).slice(0, entriesOfRowMax)
}

/** Returns the calls that a row shows. */
export const callsOf = (row: Row): ToolCallView[] => {
  if (row.kind === 'call') return [row.call]
  if (row.kind === 'attempt') return row.rows.flatMap(callsOf)
  return row.kind === 'calls' || row.kind === 'cards' ? row.calls : []
}
