/**
 * The words of the index, in memory: which of them contain a text. Full-text search finds whole words and beginnings
 * of words; with this it finds any part of one. Looking through a million words takes a few milliseconds.
 */
export interface Vocabulary {
  /** Words that begin with `part`, itself not among them, the shortest first. */
  startingWith(part: string, limit: number): string[]
  /** Words that contain `part` and do not begin with it, the shortest first. */
  containing(part: string, limit: number): string[]
  /** Words that end with `part`, itself not among them, the shortest first. */
  endingWith(part: string, limit: number): string[]
  readonly size: number
}

/** Examined for one text: what occurs in more words than this is too common to be a useful part. */
const examinedMax = 5_000

export function createVocabulary(words: Iterable<string>): Vocabulary {
  let size = 0
  let joined = '\n'
  for (const word of words) {
    joined += `${word}\n`
    size++
  }
  // Flattened, because looking through a string of many pieces is slow.
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
