/**
 * Splits transcript items into the rows of the virtual list. Small rows are measured quickly, so
 * that a turn of three hundred calls scrolls smoothly. Pure; an unchanged item returns the same
 * rows.
 */

import { traitsOf } from '../../../../shared/agents/tool-traits.ts'
import { firstIndex } from '../../../../shared/collections/first-index.ts'
import type { Damage } from '../../../../shared/contract/workspace.ts'
import { wasNotRun } from '../../../../shared/projections/tool-calls/tool-labels.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import type {
  ToolCallView,
  TurnBlock,
} from '../../../../shared/projections/transcript/turn-blocks.ts'
import { timeOfDay } from '../../primitives/format.ts'

type TurnItem = Extract<TranscriptItem, { kind: 'turn' }>
type RetryItem = Extract<TranscriptItem, { kind: 'retry' }>
type OtherItem = Exclude<TranscriptItem, { kind: 'turn' | 'retry' }>

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
   * output just before it that failed for the same reason.
   */
  | ({ kind: 'attempt'; retry: RetryItem | null; earlier: RetryItem[]; rows: Row[] } & InTurn)
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

/** Fewer consecutive calls are as quick to read as separate rows. */
const groupCallsMin = 3
/** More consecutive cards are shown as a table. */
const cardsMax = 5

interface RowOptions {
  damage?: Damage[]
  /** False if the first item is the first of the transcript. */
  hasOlder?: boolean
}

export function transcriptRows(items: TranscriptItem[], options: RowOptions = {}): Row[] {
  const { damage = [], hasOlder = false } = options
  const rows: Row[] = []
  const seen: Place = { day: null, time: null, branch: undefined, cwd: undefined }
  const pending = [...damage].sort((a, b) => a.line - b.line)
  const firstSeq = items[0]?.seq ?? 0
  const damageBefore = (seq: number) => {
    while (pending[0] && pending[0].line <= seq) {
      const span = pending.shift() as Damage
      // Damage before the loaded part is shown once that part is loaded.
      if (span.line >= firstSeq || !hasOlder) rows.push(damageRow(span))
    }
  }
  for (const [index, item] of items.entries()) {
    damageBefore(item.seq)
    const next = items[index + 1]
    // The row about drift also shows that the task was resumed.
    if (isCoveredByNext(item, next)) continue
    if (item.kind === 'summary' && endsWithReport(items[index - 1])) continue
    const again = repeatedAttempt(rows.at(-1), item)
    if (again) {
      rows[rows.length - 1] = again
      continue
    }
    // The state before the loaded part is unknown. A first mark would be removed by the next page,
    // and with it the row by which the list keeps its place.
    const unknownBefore = hasOlder && seen.time === null
    const mark = markBefore(item, seen)
    if (mark && !unknownBefore) rows.push(mark)
    // The row of the worktree shows its branch; the mark below must not repeat it.
    if (item.kind === 'worktree' && item.branch) seen.branch = item.branch
    if (isSuperseded(item)) rows.push(attemptRow(item, next?.kind === 'retry' ? next : null))
    else if (item.kind !== 'retry') rows.push(...rowsOf(item))
    else if (!isSuperseded(items[index - 1])) rows.push(attemptRow(null, item))
  }
  for (const span of pending) rows.push(damageRow(span))
  return rows
}

/**
 * Returns the index of the row that shows entry `seq`: the last one that does not begin after it.
 * -1 before the first.
 */
export function rowIndexOfSeq(rows: Row[], seq: number): number {
  const found = firstIndex(rows.length, (index) => (rows[index] as Row).seq > seq) - 1
  // The first of the rows with the same seq.
  let first = found
  while (first > 0 && rows[first - 1]?.seq === rows[found]?.seq) first -= 1
  const inTurn = rows.slice(first, found + 1)
  const call = inTurn.findIndex((row) => callsOf(row).some(isAt(seq)))
  // A message comes after its calls, and its text usually stands above them.
  const text = inTurn.findIndex((row) => row.kind === 'text' && row.messageSeq === seq)
  return first + Math.max(0, call >= 0 ? call : text)
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

export const callsOf = (row: Row): ToolCallView[] => {
  if (row.kind === 'call') return [row.call]
  if (row.kind === 'attempt') return row.rows.flatMap(callsOf)
  return row.kind === 'calls' || row.kind === 'cards' ? row.calls : []
}

/** Whether an entry is a call, its result, or was written while it ran. */
const isAt =
  (seq: number) =>
  ({ seq: from, resultSeq: to }: ToolCallView): boolean =>
    from !== null && from <= seq && seq <= (to ?? from)

const isSuperseded = (item: TranscriptItem | undefined): item is TurnItem =>
  item?.kind === 'turn' && item.status === 'superseded'

const isCoveredByNext = (item: TranscriptItem, next: TranscriptItem | undefined): boolean =>
  item.kind === 'run-start' && item.reason === 'resume' && next?.kind === 'resume'

/** The summary of a run is the beginning of its report, which is shown above it. */
function endsWithReport(item: TranscriptItem | undefined): boolean {
  const last = item?.kind === 'turn' ? item.blocks.at(-1) : undefined
  return last?.kind === 'tool' && last.call.name === 'agent_report' && last.call.state === 'ok'
}

interface Place {
  /** The local day of the last mark. */
  day: string | null
  time: string | null
  branch: string | null | undefined
  cwd: string | null | undefined
}

function markBefore(item: TranscriptItem, seen: Place): Row | null {
  if ((item.kind !== 'turn' && item.kind !== 'prompt') || item.at === null) return null
  const time = timeOfDay(item.at)
  const branchChanged = item.gitBranch !== seen.branch
  const cwdChanged = seen.cwd !== undefined && item.cwd !== seen.cwd
  const day = new Date(item.at).toDateString()
  const isNewDay = day !== seen.day
  if (time === seen.time && !isNewDay && !branchChanged && !cwdChanged) return null
  seen.time = time
  seen.day = day
  seen.branch = item.gitBranch
  seen.cwd = item.cwd
  return {
    kind: 'mark',
    key: `${item.key}:mark`,
    seq: item.seq,
    at: item.at,
    isNewDay,
    branch: branchChanged ? item.gitBranch : null,
    cwd: cwdChanged ? item.cwd : null,
  }
}

const attempts = new WeakMap<TranscriptItem, Extract<Row, { kind: 'attempt' }>>()

/** At least one of the two is not null. */
function attemptRow(turn: TurnItem | null, retry: RetryItem | null): Row {
  const item = (turn ?? retry) as TranscriptItem
  const known = attempts.get(item)
  if (known && known.retry === retry) return known
  const row: Extract<Row, { kind: 'attempt' }> = {
    kind: 'attempt',
    key: `${item.key}:attempt`,
    seq: item.seq,
    at: item.at,
    turn: (turn ?? retry)?.turn ?? 1,
    messageSeq: turn?.messageSeq ?? null,
    cwd: turn?.cwd ?? null,
    retry,
    earlier: [],
    rows: turn ? rowsOf(turn) : [],
  }
  attempts.set(item, row)
  return row
}

/** Returns the row of both, if `item` is the same failure again; null if it is not. */
function repeatedAttempt(before: Row | undefined, item: TranscriptItem): Row | null {
  if (item.kind !== 'retry' || before?.kind !== 'attempt' || !before.retry) return null
  if (before.rows.length > 0 || JSON.stringify(before.retry.cause) !== JSON.stringify(item.cause))
    return null
  const earlier = [...before.earlier, before.retry]
  const known = attempts.get(item)
  if (known?.key === before.key && known.earlier.length === earlier.length) return known
  const row = { ...before, retry: item, earlier }
  attempts.set(item, row)
  return row
}

const rowsByItem = new WeakMap<TranscriptItem, Row[]>()

function rowsOf(item: TurnItem | OtherItem): Row[] {
  const known = rowsByItem.get(item)
  if (known) return known
  const rows = item.kind === 'turn' ? turnRows(item) : otherRows(item)
  rowsByItem.set(item, rows)
  return rows
}

function otherRows(item: OtherItem): Row[] {
  // The first run begins with its prompt; only later ones need a row.
  if (item.kind === 'run-start' && item.run === 1) return []
  return [{ kind: 'item', key: item.key, seq: item.seq, at: item.at, item }]
}

function turnRows(turn: TurnItem): Row[] {
  const rows: Row[] = []
  const { key: turnKey, seq, messageSeq, at, blocks } = turn
  const place = { seq, messageSeq, turn: turn.turn, cwd: turn.cwd }
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] as TurnBlock
    // Keyed by position, so that a block keeps its row while it is streamed.
    const key = `${turnKey}:${index}`
    const live = turn.status === 'live' && index === blocks.length - 1
    if (block.kind === 'image') {
      rows.push({ kind: 'image', key, ...place, at, image: block })
      continue
    }
    if (block.kind !== 'tool') {
      if (block.text.trim() !== '')
        rows.push({ kind: block.kind, key, ...place, at, text: block.text, live })
      continue
    }
    if (isShownAsPlan(block.call)) continue
    const small = callsFrom(blocks, index, isSmall)
    const cards = callsFrom(blocks, index, startsTask)
    const startedAt = block.call.startedAt ?? at
    if (small.length >= groupCallsMin) {
      rows.push({ kind: 'calls', key, ...place, at: startedAt, calls: small })
      index += small.length - 1
    } else if (cards.length > cardsMax) {
      rows.push({ kind: 'cards', key, ...place, at: startedAt, calls: cards })
      index += cards.length - 1
    } else rows.push({ kind: 'call', key, ...place, at: startedAt, call: block.call })
  }
  if (turn.status === 'interrupted' && turn.at !== null)
    rows.push({ kind: 'turn-note', key: `${turnKey}:note`, ...place, at, note: cutNote(blocks) })
  else if (turn.status === 'live' && rows.length === 0)
    rows.push({ kind: 'turn-note', key: `${turnKey}:note`, ...place, at, note: 'working' })
  return rows
}

/** A turn whose calls were never tried has no output that was saved. */
const cutNote = (blocks: TurnBlock[]) =>
  blocks.every((block) => block.kind === 'tool' && wasNotRun(block.call))
    ? 'cut-before-anything'
    : 'cut-short'

function callsFrom(
  blocks: TurnBlock[],
  from: number,
  belongs: (call: ToolCallView) => boolean,
): ToolCallView[] {
  const calls: ToolCallView[] = []
  for (let index = from; index < blocks.length; index += 1) {
    const block = blocks[index] as TurnBlock
    if (block.kind !== 'tool' || !belongs(block.call)) break
    calls.push(block.call)
  }
  return calls
}

/**
 * Includes calls whose entries are on the previous page, because loading that page must not change
 * the groups.
 */
const isSmall = ({ state, name }: ToolCallView): boolean =>
  (state === 'ok' || state === 'not-loaded') && traitsOf(name)?.isReadOnly === true

/** The plan has its own row, with the same items. */
const isShownAsPlan = ({ name, state }: ToolCallView): boolean =>
  name === 'update_plan' && state === 'ok'

/** A call that failed without starting a task is a row of its own. */
const startsTask = ({ name, state, detail }: ToolCallView): boolean =>
  name === 'task' && !(state === 'error' && detail?.kind !== 'tasks')

const damageRow = (damage: Damage): Row => ({
  kind: 'damage',
  key: `damage:${damage.file}:${damage.line}`,
  seq: damage.line,
  at: null,
  damage,
})
