/** Converts a query of the find bar to a regular expression. Pure. */
import { messageOf } from '../error-message.ts'
import { FailureError } from '../failure.ts'

export interface FindQuery {
  text: string
  matchCase: boolean
  wholeWord: boolean
  /** `text` is a regular expression of JavaScript; `^` and `$` match at the ends of lines. */
  isPattern: boolean
}

/**
 * Returns a global expression. A space in plain text matches any white space, because lines are wrapped where they
 * are shown. Throws FailureError (invalid, field `query`) for text that is no regular expression.
 */
export function findPatternOf({ text, matchCase, wholeWord, isPattern }: FindQuery): RegExp {
  const source = isPattern ? text : escaped(text)
  const flags = matchCase ? 'gmu' : 'gimu'
  try {
    // Checked separately, because the bracket added below must not close one in the query.
    const pattern = new RegExp(source, flags)
    return wholeWord ? new RegExp(`${notAfterWord}(?:${source})${notBeforeWord}`, flags) : pattern
  } catch (error) {
    throw new FailureError({ kind: 'invalid', field: 'query', message: reasonOf(text, error) })
  }
}

/** Returns a global expression for exactly these texts, the longest first. */
export const patternOfTexts = (texts: readonly string[]): RegExp =>
  new RegExp(
    [...texts]
      .sort((a, b) => b.length - a.length)
      .map(escapedWhole)
      .join('|'),
    'gu',
  )

const notAfterWord = '(?<![\\p{L}\\p{N}_])'
const notBeforeWord = '(?![\\p{L}\\p{N}_])'

const escapedWhole = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const escaped = (text: string): string => escapedWhole(text).replaceAll(/\s+/g, '\\s+')

/** Returns the reason in V8's message, which repeats the whole expression before it. */
function reasonOf(text: string, error: unknown): string {
  const message = messageOf(error)
  const reason = message.slice(message.lastIndexOf(': ') + 1).trim()
  return `${text} is not a regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}.`
}

/**
 * Calls `onMatch` with the start and end of each match in `text`, until it returns false. Empty matches are skipped.
 */
export function eachMatch(
  pattern: RegExp,
  text: string,
  onMatch: (start: number, end: number) => boolean | undefined,
): void {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [{ length }] = match
    if (length === 0) pattern.lastIndex += 1
    else if (onMatch(match.index, match.index + length) === false) return
  }
}

/** Returns where each match in `text` begins. */
export function matchStarts(pattern: RegExp, text: string): number[] {
  const starts: number[] = []
  eachMatch(pattern, text, (start) => {
    starts.push(start)
    return true
  })
  return starts
}
