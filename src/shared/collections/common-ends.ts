/** A string, by its UTF-16 units, or an array. */
interface Sequence {
  readonly length: number
  at(index: number): unknown
}

/** Returns the lengths of the common beginning and of the common end of two sequences, which never overlap. */
export function commonEnds(a: Sequence, b: Sequence): { start: number; end: number } {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a.at(start) === b.at(start)) start++
  let end = 0
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return { start, end }
}
