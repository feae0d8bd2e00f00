/** Scores and ranks the palette's entries for a query. Pure. */

/** Shorter texts, and those that do not look like an id, are matched only as words. */
const idPrefixLengthMin = 4
const idLike = /^[0-9a-f][0-9a-f-]*$/i

/** A whole word counts more than the beginning of one, and that more than a match within it. */
const scores = { id: 100, whole: 12, beginning: 10, within: 4, letters: 1 }
/** Shorter parts are not matched across gaps, because two letters occur in order in nearly every word. */
const gapLettersMin = 3

/**
 * Scores how well `query` matches; null if it does not. Every word of the query has to match one of `texts`, of which
 * the first (the title) counts double. Letters are matched across gaps within one word, from its first letter. `id` is
 * matched only by a prefix.
 */
export function scoreOf(query: string, texts: string[], id?: string): number | null {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return 0
  if (id && wanted.length >= idPrefixLengthMin && idLike.test(wanted) && id.startsWith(wanted))
    return scores.id
  const words = texts.map(wordsOf)
  let total = 0
  for (const part of wordsOf(wanted)) {
    const best = Math.max(
      ...words.map((ofText, index) => (index === 0 ? 2 : 1) * bestOf(part, ofText)),
    )
    if (best <= 0) return null
    total += best
  }
  return total
}

/** The matching items, best first; equal ones stay in the given order. */
export function rankedMatches<Item>(items: Item[], score: (item: Item) => number | null): Item[] {
  return items
    .flatMap((item) => {
      const value = score(item)
      return value === null ? [] : [{ item, value }]
    })
    .toSorted((a, b) => b.value - a.value)
    .map(({ item }) => item)
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function bestOf(part: string, words: string[]): number {
  return words.reduce((best, word) => Math.max(best, wordScore(part, word)), 0)
}

function wordScore(part: string, word: string): number {
  if (word === part) return scores.whole
  if (word.startsWith(part)) return scores.beginning
  if (word.includes(part)) return scores.within
  return part.length >= gapLettersMin && hasLetters(part, word) ? scores.letters : 0
}

/** `prsr` in `parser`: the first letter, then the others in order. */
function hasLetters(part: string, word: string): boolean {
  if (part[0] !== word[0]) return false
  let at = 0
  for (const letter of word) if (letter === part[at]) at += 1
  return at === part.length
}
