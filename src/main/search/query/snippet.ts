/** Extracts one line of a document around its first match. Pure. */

import { wordsOf } from '../index/words.ts'
import type { Query } from './query.ts'

interface Snippet {
  text: string
  /** Start and end of each match, in UTF-16 units. */
  marks: [number, number][]
}

type Searched = Pick<Query, 'terms' | 'files' | 'pattern'>

const charsBefore = 60
const charsMax = 240

/** `text` is the document that matched. Returns its beginning if no match is found in it. */
export const snippetOf = (text: string, query: Searched): Snippet =>
  snippetAround(text, patternOf(query))

/** Like `snippetOf`, for the matches of `pattern`. */
export function snippetAround(text: string, pattern: RegExp | null): Snippet {
  const first = pattern ? text.search(pattern) : -1
  const from = wholeCharacter(text, Math.max(0, first - charsBefore))
  const to = wholeCharacter(text, Math.min(text.length, from + charsMax))
  const line = text.slice(from, to).replaceAll(/\s+/gu, ' ')
  const start = from > 0 ? '…' : ''
  const shown = `${start}${line.trim()}${to < text.length ? '…' : ''}`
  const marks = pattern
    ? [...shown.matchAll(new RegExp(pattern, globalFlags(pattern)))]
        .map(({ index, 0: match }): [number, number] => [index, index + match.length])
        .filter(([start, end]) => end > start)
    : []
  return { text: shown, marks }
}

const globalFlags = ({ flags }: RegExp): string => (flags.includes('g') ? flags : `${flags}g`)

/** Matches the words of each term, separated by anything but letters and digits. Null: no words. */
function patternOf({ terms, files, pattern }: Searched): RegExp | null {
  if (pattern !== null) return new RegExp(pattern, 'imu')
  const texts = [...terms.flat().map(({ text }) => text), ...files]
  const alternatives = texts.flatMap((text) => {
    const words = wordsOf(text)
    return words.length === 0 ? [] : [words.join('[^\\p{L}\\p{N}]*')]
  })
  // Longest first: an alternation matches its first alternative that fits.
  alternatives.sort((a, b) => b.length - a.length)
  return alternatives.length === 0 ? null : new RegExp(alternatives.join('|'), 'iu')
}

function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
