/** Finds the line of a diff that shows a match in the input of an edit. Pure. */
import { matchStarts } from '../../../../shared/text/find-pattern.ts'

export interface DiffMatch {
  side: 'deletions' | 'additions'
  /** The text of the line. */
  line: string
  /** How many lines of that side with a match and the same text come before it. */
  linesBefore: number
  /** Its position among the matches in the line, from 0. */
  nthInLine: number
}

/**
 * `input` is the call's input; `nth` is the position of the match among those in all of its texts, in the order of a
 * search. Returns null for a match in another text, such as the path, or across a line break.
 */
export function matchInDiff(input: unknown, nth: number, pattern: RegExp): DiffMatch | null {
  const earlier: Record<DiffMatch['side'], string[]> = { deletions: [], additions: [] }
  let left = nth
  for (const { field, text } of textsIn(input, '')) {
    const side = sideOf(field)
    const starts = matchStarts(pattern, text)
    const start = starts[left]
    const lines = matchedLines(text, starts)
    if (start === undefined) {
      left -= starts.length
      if (side) earlier[side].push(...lines.map(({ line }) => line))
      continue
    }
    if (!side) return null
    const at = lines.findIndex(({ from, line }) => start >= from && start <= from + line.length)
    const found = lines[at]
    if (!found) return null
    const before = [...earlier[side], ...lines.slice(0, at).map(({ line }) => line)]
    return {
      side,
      line: found.line,
      linesBefore: before.filter((line) => line === found.line).length,
      nthInLine: starts.filter((one) => one >= found.from && one < start).length,
    }
  }
  return null
}

/** The input of an edit has fields `old_…` and `new_…` with every agent; the input of a new file has `content`. */
function sideOf(field: string): DiffMatch['side'] | null {
  if (/^old/i.test(field)) return 'deletions'
  return /^(new|content)/i.test(field) ? 'additions' : null
}

/** The lines of `text` in which one of the matches begins. */
function matchedLines(text: string, starts: readonly number[]): { from: number; line: string }[] {
  const lines = new Map<number, string>()
  for (const start of starts) {
    const from = text.lastIndexOf('\n', start - 1) + 1
    const end = text.indexOf('\n', start)
    lines.set(from, text.slice(from, end < 0 ? undefined : end))
  }
  return [...lines].map(([from, line]) => ({ from, line }))
}

function textsIn(value: unknown, field: string): { field: string; text: string }[] {
  if (typeof value === 'string') return value === '' ? [] : [{ field, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    textsIn(inner, Array.isArray(value) ? field : name),
  )
}
