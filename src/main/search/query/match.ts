/** Translates a query into FTS5 syntax. Pure. See https://sqlite.org/fts5.html, "Full-text Query Syntax". */

import type { Vocabulary } from '../index/vocabulary.ts'
import { errorFacet, facet, facetValue, quoted, wordsOf } from '../index/words.ts'
import type { Query, Term } from './query.ts'

/** Alternatives for one word: enough for the names that share a part, few enough to be quick. */
const alternativesMax = 64
/** Shorter parts occur in too many words. They match whole words; two characters also match prefixes. */
const partCharsMin = 3
const prefixCharsMin = 2

/**
 * How a query word matches a word of the text, from the narrowest to the widest: the whole word; a prefix of one of the
 * shortest words with that prefix, which is fast; a prefix of any word; or any part of a word.
 */
export const fits = ['word', 'short-beginning', 'beginning', 'part'] as const
export type Fit = (typeof fits)[number]

/** Null: the query has neither words nor index filters. `facets`: the tool and model facets in the index. */
export function matchOf(
  query: Query,
  { fit, vocabulary, facets }: { fit: Fit; vocabulary: Vocabulary; facets: readonly string[] },
): string | null {
  const alternatives = (text: Term) => alternativesOf(text, fit, vocabulary)
  const wanted = [
    ...query.terms.flatMap((term) => column('{text paths}', term.flatMap(alternatives))),
    ...some(
      query.files.flatMap((text) => column('paths', alternatives({ text, isPhrase: false }))),
    ),
    ...some(query.kinds.map((kind) => `facets : ${facet('kind', kind)}`)),
    ...named('tool', query.tools, facets),
    ...named('model', query.models, facets),
    ...(query.flags.includes('error') ? [`facets : ${errorFacet}`] : []),
  ]
  const unwanted = query.excluded.flatMap((term) =>
    column('{text paths}', alternativesOf(term, 'word', vocabulary)),
  )
  if (wanted.length === 0) return null
  const all = wanted.map((one) => `(${one})`).join(' AND ')
  return unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.join(' OR ')})`
}

const column = (names: string, alternatives: string[]): string[] =>
  alternatives.length === 0 ? [] : [`${names} : (${alternatives.join(' OR ')})`]

const some = (alternatives: string[]): string[] =>
  alternatives.length === 0 ? [] : [alternatives.map((one) => `(${one})`).join(' OR ')]

function alternativesOf({ text, isPhrase }: Term, fit: Fit, vocabulary: Vocabulary): string[] {
  const words = wordsOf(text)
  const last = words.at(-1)
  if (last === undefined) return []
  const whole = quoted(text)
  if (isPhrase || fit === 'word' || last.length < prefixCharsMin) return [whole]
  if (fit === 'short-beginning') return [whole, ...beginnings(words, last, vocabulary)]
  return [`${whole}*`, ...(fit === 'part' ? inOtherWords(words, vocabulary) : [])]
}

function beginnings(words: readonly string[], last: string, vocabulary: Vocabulary): string[] {
  const before = words.slice(0, -1)
  return vocabulary
    .startingWith(last, alternativesMax)
    .map((longer) => quoted([...before, longer].join(' ')))
}

/** The same words where the first is the end of a longer one, or the only one is within a longer one. */
function inOtherWords(words: readonly string[], vocabulary: Vocabulary): string[] {
  const [first = '', ...rest] = words
  if (first.length < partCharsMin) return []
  if (rest.length === 0) return vocabulary.containing(first, alternativesMax).map(quoted)
  return vocabulary
    .endingWith(first, alternativesMax)
    .map((longer) => `${quoted([longer, ...rest].join(' '))}*`)
}

/** The facets whose value contains one of the texts. A filter without such a facet matches nothing. */
function named(kind: 'tool' | 'model', texts: string[], facets: readonly string[]): string[] {
  if (texts.length === 0) return []
  const wanted = texts.map((text) => text.toLowerCase())
  const found = facets.filter((token) => {
    const value = facetValue(kind, token)
    return value !== null && wanted.some((text) => value.includes(text))
  })
  const tokens = found.length > 0 ? found : [facet(kind, '')]
  return [tokens.map((token) => `facets : ${token}`).join(' OR ')]
}
