/** The stops of a replay, which are the ends of turns and the calls, and the distance that it plays. Pure. */

import { firstIndexOf } from '../../../shared/collections/first-index.ts'
import type { TimelineMark } from '../../../shared/contract/transcripts/timeline.ts'
import { markAt, type Timeline } from '../../../shared/projections/replay/replay-state.ts'

export type StepUnit = 'turn' | 'call'

/** While playing, longer pauses are cut to this. */
const pauseMsMax = 2_000
/** While playing, what was just shown stays for this long, however soon the next entry was recorded. */
const pauseMsMin: Partial<Record<TimelineMark['kind'], number>> = {
  prompt: 1_000,
  turn: 1_000,
  call: 250,
  result: 250,
}

interface Stops {
  /** Seqs in order: prompts, ends of turns, ends of runs. */
  turn: number[]
  /** The same, and each call and result. */
  call: number[]
}

const known = new WeakMap<readonly TimelineMark[], Stops>()

function stopsOf({ marks }: Timeline): Stops {
  const before = known.get(marks)
  if (before) return before
  const stops: Stops = { turn: [], call: [] }
  for (const [index, mark] of marks.entries()) {
    if (mark.kind === 'turn' || mark.kind === 'prompt' || mark.kind === 'run-end') {
      stops.turn.push(endOf(marks, index))
      stops.call.push(endOf(marks, index))
    } else if (mark.kind === 'call' || mark.kind === 'result') stops.call.push(mark.seq)
  }
  known.set(marks, stops)
  return stops
}

/** The snapshot of a turn's files belongs to the end of that turn. */
function endOf(marks: readonly TimelineMark[], index: number): number {
  const mark = marks[index] as TimelineMark
  const next = marks[index + 1]
  const isItsSnapshot =
    mark.kind === 'turn' && next?.kind === 'files' && next.turn !== null && next.turn === mark.turn
  return isItsSnapshot ? next.seq : mark.seq
}

/** Returns the stop before or after `seq`, or the first or last entry if there is none. */
export function stepFrom(
  timeline: Timeline,
  { seq, unit, by }: { seq: number; unit: StepUnit; by: number },
): number {
  const stops = stopsOf(timeline)[unit]
  const at = indexAfter(stops, seq)
  // Stops after `seq` begin at `at`; those before it end at the one that is less than `seq`.
  const isOnStop = stops[at - 1] === seq
  const index = by > 0 ? at + by - 1 : at + by - (isOnStop ? 1 : 0)
  if (index < 0) return firstSeq(timeline)
  return stops[index] ?? lastSeq(timeline)
}

export const firstSeq = ({ marks }: Timeline): number => marks[0]?.seq ?? 0

/**
 * Returns the first moment with something to see, which is the first prompt. Before it only the start of the run is
 * recorded.
 */
export const openingSeq = (timeline: Timeline): number =>
  stopsOf(timeline).turn[0] ?? firstSeq(timeline)

export const lastSeq = ({ marks }: Timeline): number => marks.at(-1)?.seq ?? 0

/** The number of values at or below `value`. */
const indexAfter = (values: readonly number[], value: number): number =>
  firstIndexOf(values, (each) => each > value)

/**
 * Advances from `seq` by `ms` of recorded time, with pauses cut, and bursts slowed down so that they can be read. Returns the new position, and the time left over
 * towards the next entry.
 */
export function playFrom(
  timeline: Timeline,
  { seq, ms }: { seq: number; ms: number },
): { seq: number; restMs: number; ended: boolean } {
  const { marks } = timeline
  let at = markAt(timeline, seq)
  let left = ms
  for (;;) {
    const next = marks[at + 1]
    if (!next) return { seq: lastSeq(timeline), restMs: 0, ended: true }
    const current = marks[at]
    const pauseMin = (current && pauseMsMin[current.kind]) ?? 0
    const pause = Math.min(Math.max(pauseMin, next.at - (current?.at ?? next.at)), pauseMsMax)
    if (pause > left) return { seq: current?.seq ?? seq, restMs: left, ended: false }
    left -= pause
    at++
  }
}
