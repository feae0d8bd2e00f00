/**
 * Positions the marks of a timeline by time, with a minimum width for each and long pauses collapsed. Pure. Positions
 * are from 0 to 1, in file order, even where the clock went back.
 */

import { firstIndexOf } from '../../../shared/collections/first-index.ts'
import type { TimelineMark } from '../../../shared/contract/transcripts/timeline.ts'
import { hourMs } from '../../../shared/durations.ts'

/** A pause is collapsed if it is longer than this, and longer than this share of the working time. */
const pauseMsMin = 60_000
const pauseShareMax = 0.05
/**
 * Width of a collapsed pause, and of the space that all marks share in addition to their time, as shares of the working
 * time.
 */
const collapsedShare = 0.03
const roomShare = 0.35

interface CollapsedPause {
  /** Positions of its ends. */
  from: number
  to: number
  ms: number
  /** Whether no run was in progress. */
  idle: boolean
}

export interface TimelineScale {
  /** Positions by index of the mark. */
  positions: Float64Array
  pauses: CollapsedPause[]
  /** The mark whose position is nearest; -1 without marks. */
  markNear(position: number): number
  /** The position of a time, in milliseconds since the epoch. */
  positionOf(atMs: number): number
}

export function timelineScale(marks: readonly TimelineMark[]): TimelineScale {
  const { times, idle } = timesOf(marks)
  const waits = times.map((at, index) => (index === 0 ? 0 : at - (times[index - 1] as number)))
  const work = waits.reduce((sum, ms) => sum + Math.min(ms, pauseMsMin), 0) || 1
  const longest = Math.max(pauseMsMin, work * pauseShareMax)
  const room = (work * roomShare) / Math.max(1, marks.length)
  const positions = new Float64Array(marks.length)
  const pauses: CollapsedPause[] = []
  let width = 0
  for (const [index, ms] of waits.entries()) {
    const isCollapsed = ms > longest
    const from = width
    width += (isCollapsed ? work * collapsedShare : ms) + room
    positions[index] = width
    if (isCollapsed) pauses.push({ from, to: width, ms, idle: idle[index] ?? false })
  }
  const end = width + room || 1
  for (const index of positions.keys()) positions[index] = (positions[index] as number) / end
  for (const pause of pauses) {
    pause.from /= end
    pause.to /= end
  }
  return {
    positions,
    pauses,
    markNear(position) {
      const after = firstAbove(positions, position)
      const before = after - 1
      if (before < 0) return positions.length === 0 ? -1 : 0
      if (after >= positions.length) return before
      const isNearer =
        position - (positions[before] as number) <= (positions[after] as number) - position
      return isNearer ? before : after
    },
    positionOf(atMs) {
      const after = firstAbove(times, atMs)
      if (after === 0) return 0
      const from = positions[after - 1] as number
      if (after >= times.length) return from
      const to = positions[after] as number
      const begin = times[after - 1] as number
      return from + ((atMs - begin) / ((times[after] as number) - begin)) * (to - from)
    },
  }
}

/** Times that never go back, and whether no run was in progress before each mark. */
function timesOf(marks: readonly TimelineMark[]): { times: number[]; idle: boolean[] } {
  const times: number[] = []
  const idle: boolean[] = []
  let last = Number.NEGATIVE_INFINITY
  let isRunning = true
  for (const mark of marks) {
    last = Math.max(last, mark.at)
    times.push(last)
    idle.push(!isRunning)
    if (mark.kind === 'run-end') isRunning = false
    else if (mark.kind === 'run') isRunning = true
  }
  return { times, idle }
}

/** The index of the first value above `value`, in ascending values. */
const firstAbove = (values: ArrayLike<number>, value: number): number =>
  firstIndexOf(values, (each) => each > value)

interface Lane<Span> {
  spans: Span[]
  endMs: number
}

/** Puts spans into as few lanes as have no overlap, those that begin first on top. */
export function packLanes<Span extends { fromMs: number; toMs: number }>(
  spans: readonly Span[],
): Span[][] {
  const lanes: Lane<Span>[] = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const free = lanes.find(({ endMs }) => endMs <= span.fromMs)
    if (free) {
      free.spans.push(span)
      free.endMs = span.toMs
    } else lanes.push({ spans: [span], endMs: span.toMs })
  }
  return lanes.map(({ spans: packed }) => packed)
}

/** `3 h idle`, `25 min`: the label of a collapsed pause. */
export function pauseText({ ms, idle }: Pick<CollapsedPause, 'ms' | 'idle'>): string {
  const minutes = Math.round(ms / 60_000)
  const hours = ms / hourMs
  const long =
    hours >= 48
      ? `${Math.round(hours / 24)} d`
      : hours >= 1
        ? `${hours < 10 ? Math.round(hours * 10) / 10 : Math.round(hours)} h`
        : `${minutes} min`
  return idle ? `${long} idle` : long
}
