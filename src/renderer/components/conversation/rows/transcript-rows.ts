/**
 * Splits transcript items into the rows of the virtual list. Small rows are measured quickly, so
 * that a turn of three hundred calls scrolls smoothly. Pure; an unchanged item returns the same
 * rows.
 */

import type { Damage } from '../../../../shared/contract/workspace.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import { timeOfDay } from '../../primitives/format.ts'
import { rowsOf } from './item-rows.ts'
import type { RetryItem, Row, TurnItem } from './row.ts'

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
    const again = repeatedAttempt(rows.at(-1), item, afterAttempt(items, index))
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
    if (isSuperseded(item)) {
      const retry = next?.kind === 'retry' ? next : null
      rows.push(attemptRow(item, retry, afterAttempt(items, retry ? index + 1 : index)))
    } else if (item.kind !== 'retry') rows.push(...rowsOf(item))
    else if (!isSuperseded(items[index - 1]))
      rows.push(attemptRow(null, item, afterAttempt(items, index)))
  }
  for (const span of pending) rows.push(damageRow(span))
  return rows
}

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

type AttemptRow = Extract<Row, { kind: 'attempt' }>

const attempts = new WeakMap<TranscriptItem, AttemptRow>()

/** Returns the next attempt after the item at `index`, or the end of the run, whichever comes first. */
function afterAttempt(items: TranscriptItem[], index: number): AttemptRow['next'] {
  for (const item of items.slice(index + 1, index + 1 + notesAfterAttemptMax)) {
    if (item.kind === 'turn' || item.kind === 'retry' || item.kind === 'compaction')
      return { kind: 'attempt', at: item.at }
    if (item.kind === 'run-end' || item.kind === 'run-start')
      return { kind: 'run-end', at: item.at }
  }
  return null
}

/** More do not come between two attempts. */
const notesAfterAttemptMax = 8

const isSameNext = (a: AttemptRow['next'], b: AttemptRow['next']): boolean =>
  a?.kind === b?.kind && a?.at === b?.at

/** At least one of the two is not null. */
function attemptRow(turn: TurnItem | null, retry: RetryItem | null, next: AttemptRow['next']): Row {
  const item = (turn ?? retry) as TranscriptItem
  const known = attempts.get(item)
  if (known && known.retry === retry && isSameNext(known.next, next)) return known
  const row: AttemptRow = {
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
    next,
  }
  attempts.set(item, row)
  return row
}

/** Returns the row of both, if `item` is the same failure again; null if it is not. */
function repeatedAttempt(
  before: Row | undefined,
  item: TranscriptItem,
  next: AttemptRow['next'],
): Row | null {
  if (item.kind !== 'retry' || before?.kind !== 'attempt' || !before.retry) return null
  if (before.rows.length > 0 || JSON.stringify(before.retry.cause) !== JSON.stringify(item.cause))
    return null
  const earlier = [...before.earlier, before.retry]
  const known = attempts.get(item)
  if (
    known?.key === before.key &&
    known.earlier.length === earlier.length &&
    isSameNext(known.next, next)
  )
    return known
  const row = { ...before, retry: item, earlier, next }
  attempts.set(item, row)
  return row
}

const damageRow = (damage: Damage): Row => ({
  kind: 'damage',
  key: `damage:${damage.file}:${damage.line}`,
  seq: damage.line,
  at: null,
  damage,
})
