/** Follows the lines of a file through the contents that it had: which step wrote or removed each. Pure. */
import { diffArrays } from 'diff'

/** A content of the file, and the author of what changed since the one before. */
interface FileStep {
  /** An index into the caller's list of authors. */
  author: number
  lines: readonly string[]
}

/** A line of the content after the step `step` (-1: the base), from 0. */
interface LineAnchor {
  step: number
  line: number
}

interface LineHistory {
  /** By line of the last content: who wrote it; null: it stands in the base. */
  written: (number | null)[]
  /** By line of the base: who removed or replaced it; null: it is still there. */
  removed: (number | null)[]
  /**
   * What became of each anchor. `line`: in the last content, of what replaced it as well; null: nothing did. `by`: who
   * first changed it; null: it is the same.
   */
  anchors: { line: number | null; by: number | null }[]
}

interface Line {
  by: number | null
  goneBy: number | null
  /** What stands in its place. */
  next: Line | null
}

/** When `msMax` is over, contents that were not compared yet count as replaced, but for their common ends. */
export function followLines({
  base,
  steps,
  anchors,
  msMax,
}: {
  base: readonly string[]
  steps: readonly FileStep[]
  anchors: readonly LineAnchor[]
  msMax: number
}): LineHistory {
  const untilMs = performance.now() + msMax
  const first = base.map((): Line => ({ by: null, goneBy: null, next: null }))
  const anchored = new Map<LineAnchor, Line | undefined>()
  const note = (at: number, lines: readonly Line[]) => {
    for (const anchor of anchors) if (anchor.step === at) anchored.set(anchor, lines[anchor.line])
  }
  let texts = base
  let lines: readonly Line[] = first
  note(-1, lines)
  for (const [at, step] of steps.entries()) {
    lines = after(lines, { before: texts, step, msMax: untilMs - performance.now() })
    texts = step.lines
    note(at, lines)
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
  { before: texts, step, msMax }: { before: readonly string[]; step: FileStep; msMax: number },
): Line[] {
  const { author, lines: now } = step
  const most = Math.min(texts.length, now.length)
  let start = 0
  while (start < most && texts[start] === now[start]) start++
  let end = 0
  while (end < most - start && texts.at(-1 - end) === now.at(-1 - end)) end++
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
      : diffArrays([...was], [...is], { timeout: msMax })
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

/** The lines of a text, each with its end, so that a missing line break at the end is a difference. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
