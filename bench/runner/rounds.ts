/**
 * Rounds: each round runs all sides of a comparison once, in alternating order, so that a machine that becomes slower
 * or faster affects all of them. The result is the median over the rounds and the spread.
 */

/** The figures of one side in one round, by name: `{ ms: 12, peakMb: 80 }`. */
export type Sample = Record<string, number>

/** Runs every side once a round; each round starts with another side. */
export async function alternate<Sides extends Record<string, () => Promise<Sample>>>(
  sides: Sides,
  { rounds }: { rounds: number },
): Promise<{ [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>> }[]> {
  type Round = { [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>> }
  const names = Object.keys(sides) as (keyof Sides)[]
  const found: Round[] = []
  for (let n = 0; n < rounds; n++) {
    const round: Partial<Round> = {}
    for (const name of beginningAt(names, n))
      round[name] = (await sides[name]?.()) as Round[typeof name]
    found.push(round as Round)
  }
  return found
}

/**
 * For sides that can run in slices: all of them run slice 0, then slice 1 and so on, each time starting with another
 * side. Returns the total milliseconds of each side.
 */
export async function interleave<Side extends string>(
  sides: Record<Side, (slice: number) => Promise<unknown>>,
  slices: number,
): Promise<Record<Side, number>> {
  const names = Object.keys(sides) as Side[]
  const ms = Object.fromEntries(names.map((name) => [name, 0])) as Record<Side, number>
  for (let n = 0; n < slices; n++) {
    for (const name of beginningAt(names, n)) ms[name] += await timed(() => sides[name](n))
  }
  return ms
}

function beginningAt<T>(all: readonly T[], n: number): T[] {
  const first = n % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

export type Unit = '/s' | 'MB/s' | 'µs' | 'ms' | 'MB' | '%' | 'rows' | 'x'

/** One number of a comparison over all rounds. */
export interface Finding {
  says: string
  unit: Unit
  median: number
  min: number
  max: number
}

/**
 * Returns the median of figures, or of ratios (unit `x`), that are computed within each round; by their description.
 */
export function find<Round, Says extends string>(
  rounds: readonly Round[],
  unit: Unit,
  picks: Record<Says, (round: Round) => number>,
): Record<Says, Finding> {
  const found = Object.entries<(round: Round) => number>(picks).map(([says, pick]) => {
    const values = rounds.map(pick)
    const [min, max] = [Math.min(...values), Math.max(...values)]
    return [says, { says, unit, median: median(values), min, max }]
  })
  return Object.fromEntries(found) as Record<Says, Finding>
}

export type Bound = { atMost: number } | { atLeast: number }

export interface Verdict {
  says: string
  unit: Unit
  bound: Bound
  found: number
  met: boolean
  /** Share of the bound by which it is missed: 0.2 for 1.8 where 1.5 was the most; 0 when it is met. */
  missedBy: number
}

/** Compares the median of a finding with a target. */
export function judge({ says, unit, median: found }: Finding, bound: Bound): Verdict {
  const by =
    'atMost' in bound
      ? (found - bound.atMost) / bound.atMost
      : (bound.atLeast - found) / bound.atLeast
  const missedBy = Math.max(0, by)
  return { says, unit, bound, found, met: missedBy === 0, missedBy }
}

/** The result of one measurement. */
export interface Measured {
  title: string
  rounds: number
  figures: Finding[]
  ratios: Finding[]
  verdicts: Verdict[]
  /** What the reader must know about the numbers, or what was not measured and why. */
  notes: string[]
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** `share` is from 0 to 1; interpolates linearly between two values. NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** Returns the milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
