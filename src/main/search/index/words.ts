/** Converts texts to the tokens and queries of the index's tokenizer. Pure. */

/** Scripts without spaces between words. Each character is indexed as a token, and a word is a phrase of them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const unspacedAll = new RegExp(unspaced.source, 'gu')

/** Separates the characters of scripts that put no spaces between words. */
export const spaced = (text: string): string =>
  unspaced.test(text) ? text.replaceAll(unspacedAll, ' $& ') : text

/** Tokens of the `facets` column have letters and digits only, which the tokenizer keeps as they are. */
export const facet = (kind: 'kind' | 'tool' | 'model', value: string): string =>
  `${kind}x${Buffer.from(value.toLowerCase()).toString('hex')}`

export const errorFacet = 'errorx'

/** The value of a facet of this kind; null if the token is of another kind. */
export function facetValue(kind: 'tool' | 'model', token: string): string | null {
  const prefix = `${kind}x`
  return token.startsWith(prefix) ? Buffer.from(token.slice(prefix.length), 'hex').toString() : null
}

/** Encodes a text as an FTS5 string, which matches its words as a phrase. */
export const quoted = (text: string): string =>
  // SQLite truncates a query at the first NUL.
  `"${spaced(text).replaceAll('\0', ' ').replaceAll('"', '""')}"`

const word = /[\p{L}\p{N}\p{Co}]+/gu

/** The words of a text, folded as the index folds them. */
export const wordsOf = (text: string): string[] =>
  spaced(text)
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .match(word) ?? []
