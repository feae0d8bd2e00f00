/** Tracks the lines of a file through its contents: which step wrote or removed each line. */

import { setImmediate } from 'node:timers/promises'
import { diffArrays } from 'diff'
import { commonEnds } from '../../shared/collections/common-ends.ts'

/** A content of the file, and the author of the changes since the previous content. */
interface FileStep {
  /** An index into the caller's list of authors. */
  author: number
  /** Called once, in order: the lines of thousands of contents would fill the memory. */
  lines: () => readonly string[]
}

/** A line of the content after the step `step` (-1: the base), from 0. */
interface LineAnchor {
  step: number
  line: number
}

interface LineHistory {
  /** By line of the last content: its author; null if the line is from the base. */
  written: (number | null)[]
  /** By line of the base: the author who removed or replaced it; null if it still exists. */
  removed: (number | null)[]
  /**
   * The result for each anchor. `line` is its line, or its replacement's, in the last content; null if it was removed.
   * `by` is the author who first changed it; null if it is unchanged.
   */
  anchors: { line: number | null; by: number | null }[]
}

interface Line {
  by: number | null
  goneBy: number | null
  /** The line that replaced it. */
  next: Line | null
}

/** Other calls are answered after this time at the latest, and after the comparison of two contents. */
const pieceMs = 10
/** Time limit for two contents; much longer than any that an agent edits takes. */
const comparedMsMax = 50

/**
 * After `msMax` milliseconds, uncompared contents count as replaced, except for their common ends.
 * Yields to other work.
 */
export async function followLines({
  base,
  steps,
  anchors,
  msMax,
}: {
  base: readonly string[]
  steps: readonly FileStep[]
  anchors: readonly LineAnchor[]
  msMax: number
}): Promise<LineHistory> {
  let [spentMs, sinceMs] = [0, performance.now()]
  const first = base.map((): Line => ({ by: null, goneBy: null, next: null }))
  const anchored = new Map<LineAnchor, Line | undefined>()
  const note = (at: number, lines: readonly Line[]) => {
    for (const anchor of anchors) if (anchor.step === at) anchored.set(anchor, lines[anchor.line])
  }
  let texts = base
  let lines: readonly Line[] = first
  note(-1, lines)
  for (const [at, step] of steps.entries()) {
    const now = step.lines()
    const leftMs = msMax - spentMs - (performance.now() - sinceMs)
    lines = after(lines, { before: texts, author: step.author, now, msMax: leftMs })
    texts = now
    note(at, lines)
    if (performance.now() - sinceMs < pieceMs) continue
    spentMs += performance.now() - sinceMs
    await setImmediate()
    sinceMs = performance.now()
  }
  const places = new Map(lines.map((line, index) => [line, index]))
  return {
    written: lines.map(({ by }) => by),
    removed: first.map(({ goneBy }) => goneBy),
    anchors: anchors.map((anchor) => {
      const line = anchored.get(anchor)
      return { line: line ? placeOf(line, places) : null, by: line?.goneBy ?? null }
    }),
  }
}

function after(
  before: readonly Line[],
  {
    before: texts,
    author,
    now,
    msMax,
  }: { before: readonly string[]; author: number; now: readonly string[]; msMax: number },
): Line[] {
  const { start, end } = commonEnds(texts, now)
  const was = texts.slice(start, texts.length - end)
  const is = now.slice(start, now.length - end)
  const result = before.slice(0, start)
  let at = start
  let gone: Line[] = []
  let added: Line[] = []
  const flush = () => {
    for (const [index, line] of gone.entries()) {
      line.goneBy = author
      line.next = added[index] ?? added.at(-1) ?? null
    }
    result.push(...added)
    gone = []
    added = []
  }
  for (const part of compared(was, is, msMax)) {
    if (part.added)
      for (let i = 0; i < part.count; i++) added.push({ by: author, goneBy: null, next: null })
    else if (part.removed) {
      gone.push(...before.slice(at, at + part.count))
      at += part.count
    } else {
      flush()
      result.push(...before.slice(at, at + part.count))
      at += part.count
    }
  }
  flush()
  return [...result, ...before.slice(before.length - end)]
}

interface Part {
  added: boolean
  removed: boolean
  count: number
}

function compared(was: readonly string[], is: readonly string[], msMax: number): Part[] {
  const parts =
    was.length === 0 || is.length === 0 || msMax <= 0
      ? undefined
      : diffArrays([...was], [...is], { timeout: Math.min(msMax, comparedMsMax) })
  return (
    parts ?? [
      { added: false, removed: true, count: was.length },
      { added: true, removed: false, count: is.length },
    ]
  )
}

function placeOf(line: Line, places: ReadonlyMap<Line, number>): number | null {
  for (let now: Line | null = line; now; now = now.next) {
    const place = places.get(now)
    if (place !== undefined) return place
  }
  return null
}

/** Splits a text into lines with their line breaks, so that a missing one at the end is a difference. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
