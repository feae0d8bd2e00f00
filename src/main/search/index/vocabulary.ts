/**
 * The words of the index, in memory. FTS5 matches whole words and prefixes only; the vocabulary adds matches of any
 * part of a word. Scanning a million words takes a few milliseconds.
 */
export interface Vocabulary {
  /** Words that begin with `part`, excluding `part` itself, shortest first. */
  startingWith(part: string, limit: number): string[]
  /** Words that contain `part` and do not begin with it, shortest first. */
  containing(part: string, limit: number): string[]
  /** Words that end with `part`, excluding `part` itself, shortest first. */
  endingWith(part: string, limit: number): string[]
  readonly size: number
}

/** Limit of occurrences examined for one part. A part in more words is too common to be useful. */
const examinedMax = 5_000

export function createVocabulary(words: Iterable<string>): Vocabulary {
  let size = 0
  let joined = '\n'
  for (const word of words) {
    joined += `${word}\n`
    size++
  }
  // Flattened, because searching a rope string is slow.
  joined = Buffer.from(joined).toString()

  function* occurrences(text: string): Generator<string> {
    let at = joined.indexOf(text)
    for (let count = 0; at >= 0 && count < examinedMax; count++) {
      const end = joined.indexOf('\n', at + text.length - (text.endsWith('\n') ? 1 : 0))
      yield joined.slice(joined.lastIndexOf('\n', at) + 1, end)
      at = joined.indexOf(text, end)
    }
  }
  const shortest = (found: Iterable<string>, limit: number) =>
    [...new Set(found)].sort((a, b) => a.length - b.length).slice(0, limit)

  return {
    size,
    startingWith: (part, limit) =>
      shortest(
        occurrences(`\n${part}`).filter((word) => word !== part),
        limit,
      ),
    containing: (part, limit) =>
      shortest(
        occurrences(part).filter((word) => !word.startsWith(part)),
        limit,
      ),
    endingWith: (part, limit) =>
      shortest(
        occurrences(`${part}\n`).filter((word) => word !== part),
        limit,
      ),
  }
}
