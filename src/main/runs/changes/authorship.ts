/**
 * Tracks who wrote which characters of a file from one content to the next by comparing them: words first, then the
 * common ends of two words. Pure.
 */

import { diffLines, diffWordsWithSpace } from 'diff'
import { commonEnds } from '../../../shared/collections/common-ends.ts'

type Author = 'agent' | 'other'

/** A stretch of a file by one author. Neighbours have different authors. */
export interface Span {
  author: Author
  /** UTF-16 units; never 0. */
  chars: number
}

/** A longer file is not compared: all of its text is attributed to the last author. */
export const comparedCharsMax = 1_000_000

export const ownedBy = (author: Author, text: string): Span[] => joined([span(author, text.length)])

/**
 * Returns the spans of `after`: text from `before` keeps its author, the rest is by `author`. After `msMax`
 * milliseconds, uncompared text is attributed to `author`; common lines at both ends are always found.
 */
export function follow(
  spans: readonly Span[],
  {
    before,
    after,
    author,
    msMax,
  }: { before: string; after: string; author: Author; msMax: number },
): Span[] {
  if (before === after) return [...spans]
  if (before.length + after.length > comparedCharsMax) return ownedBy(author, after)
  const take = cursor(spans)
  return joined(
    compareLines(before, after, performance.now() + msMax).flatMap(({ kind, chars }) => {
      if (kind === 'added') return [span(author, chars)]
      const taken = take(chars)
      return kind === 'kept' ? taken : []
    }),
  )
}

export function countChars(spans: readonly Span[]): { agentChars: number; otherChars: number } {
  const of = (author: Author) =>
    spans.reduce((sum, span) => (span.author === author ? sum + span.chars : sum), 0)
  return { agentChars: of('agent'), otherChars: of('other') }
}

/** Returns alternating lengths of the agent's and others' text, in UTF-16 units. The first, the agent's, may be 0. */
export function toAuthors(spans: readonly Span[]): number[] {
  const lengths = spans.map(({ chars }) => chars)
  return spans[0]?.author === 'other' ? [0, ...lengths] : lengths
}

export const fromAuthors = (authors: readonly number[]): Span[] =>
  joined(authors.map((chars, at) => span(at % 2 === 0 ? 'agent' : 'other', chars)))

const span = (author: Author, chars: number): Span => ({ author, chars })

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const { author, chars } of spans) {
    const last = all.at(-1)
    if (chars === 0) continue
    if (last?.author === author) last.chars += chars
    else all.push({ author, chars })
  }
  return all
}

/** Returns a function that consumes the next `chars` UTF-16 units of the spans. */
function cursor(spans: readonly Span[]): (chars: number) => Span[] {
  let at = 0
  let used = 0
  return (chars) => {
    const taken: Span[] = []
    for (let left = chars; left > 0; ) {
      const current = spans[at]
      if (!current) break
      const length = Math.min(left, current.chars - used)
      taken.push(span(current.author, length))
      left -= length
      used += length
      if (used < current.chars) continue
      at++
      used = 0
    }
    return taken
  }
}

interface Part {
  kind: 'kept' | 'added' | 'removed'
  chars: number
}

const part = (kind: Part['kind'], chars: number): Part => ({ kind, chars })
const replaced = (removed: string, added: string): Part[] => [
  part('removed', removed.length),
  part('added', added.length),
]

function compareLines(before: string, after: string, untilMs: number): Part[] {
  // Comparing two very different files can take minutes; the context of a change costs nothing.
  const start = commonLines(before, after)
  const end = commonLastLines(before.slice(start), after.slice(start))
  const was = before.slice(start, before.length - end)
  const is = after.slice(start, after.length - end)
  return [part('kept', start), ...compareMiddle(was, is, untilMs), part('kept', end)]
}

function compareMiddle(was: string, is: string, untilMs: number): Part[] {
  if (isOver(untilMs)) return replaced(was, is)
  const parts = diffLines(was, is, { timeout: msLeft(untilMs) })
  return parts ? refined(parts, (a, b) => compareWords(a, b, untilMs)) : replaced(was, is)
}

function compareWords(was: string, is: string, untilMs: number): Part[] {
  if (isOver(untilMs)) return replaced(was, is)
  const parts = diffWordsWithSpace(was, is, { timeout: msLeft(untilMs) })
  return parts ? refined(parts, compareEnds) : replaced(was, is)
}

/** Keeps the common beginning and end of two words. Equal letters in the middle are coincidence. */
function compareEnds(was: string, is: string): Part[] {
  const { start, end } = commonEnds(was, is)
  return [
    part('kept', start),
    ...replaced(was.slice(start, was.length - end), is.slice(start, is.length - end)),
    part('kept', end),
  ]
}

/** Text removed in one place and text added in another are compared once more, by `compare`. */
function refined(
  parts: readonly { added: boolean; removed: boolean; value: string }[],
  compare: (was: string, is: string) => Part[],
): Part[] {
  const found: Part[] = []
  let was = ''
  let is = ''
  const flush = () => {
    if (was !== '' && is !== '') found.push(...compare(was, is))
    else found.push(...replaced(was, is))
    was = ''
    is = ''
  }
  for (const { added, removed, value } of parts) {
    if (added) is += value
    else if (removed) was += value
    else {
      flush()
      found.push(part('kept', value.length))
    }
  }
  flush()
  return found
}

const isOver = (untilMs: number): boolean => performance.now() >= untilMs

/** A timeout of 0 would count as none. */
const msLeft = (untilMs: number): number => Math.max(1, untilMs - performance.now())

/** Returns the length of the common whole lines at the beginning, in UTF-16 units. */
function commonLines(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let lines = 0
  for (let at = 0; at < most && a[at] === b[at]; at++) if (a[at] === '\n') lines = at + 1
  return lines
}

/** Returns the length of the common whole lines at the end, in UTF-16 units. */
function commonLastLines(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let lines = 0
  let same = 0
  for (; same < most && a.at(-1 - same) === b.at(-1 - same); same++)
    if (a.at(-1 - same) === '\n') lines = same
  const isWhole = (text: string) => same === text.length || text.at(-1 - same) === '\n'
  return isWhole(a) && isWhole(b) ? same : lines
}
