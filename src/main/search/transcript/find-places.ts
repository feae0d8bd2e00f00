/** Finds the texts of an entry that match a search in its transcript. Pure. */
import { type FindPlace, findTextsMax } from '../../../shared/contract/transcripts/find.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import { eachMatch, type FindQuery, findPatternOf } from '../../../shared/text/find-pattern.ts'
import { type ShownText, shownTextsOf } from '../documents.ts'
import { snippetAround } from '../query/snippet.ts'

/** A longer match can't be highlighted. */
const matchedTextCharsMax = 200
/** Limit for the whole search, because a regular expression may match a different text at each place. */
const matchedCharsMax = 1 << 20

/** Returns a function that finds the places in an entry. Throws FailureError as `findPatternOf`. */
export function createPlaceFinder({ query, snippets }: { query: FindQuery; snippets: boolean }) {
  const pattern = findPatternOf(query)
  let charsLeft = matchedCharsMax
  return (entry: Entry, wholeOutput: string | null): FindPlace[] =>
    shownTextsOf(entry, wholeOutput).flatMap((shown) => {
      const place = placeIn(shown, entry.seq)
      return place ? [place] : []
    })

  function placeIn({ kind, text, tool }: ShownText, seq: number): FindPlace | null {
    let count = 0
    const texts = new Set<string>()
    eachMatch(pattern, text, (start, end) => {
      count += 1
      if (!query.isPattern || texts.size >= findTextsMax || end - start > matchedTextCharsMax)
        return true
      const matched = text.slice(start, end)
      if (charsLeft >= matched.length && !texts.has(matched)) {
        texts.add(matched)
        charsLeft -= matched.length
      }
      return true
    })
    if (count === 0) return null
    const snippet = snippets ? snippetAround(text, pattern) : null
    return {
      seq,
      kind,
      tool,
      count,
      ...(query.isPattern ? { texts: [...texts] } : {}),
      ...(snippet ? { snippet: snippet.text, marks: snippet.marks } : {}),
    }
  }
}
