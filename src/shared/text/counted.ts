/** `1 file`, `2 files`. `shown`: the formatted number. */
export const counted = (
  count: number,
  one: string,
  many = `${one}s`,
  shown = String(count),
): string => `${shown} ${count === 1 ? one : many}`

/** `a, b and 3 more`: lists at most `max` names and counts the rest. */
export function listFirst(names: readonly string[], max: number): string {
  const more = names.length - max
  const shown = names.slice(0, max).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** `a, b and c`, or `a, b or c`. */
export const listed = (names: readonly string[], word: 'and' | 'or' = 'and'): string =>
  new Intl.ListFormat('en-GB', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(
    names,
  )
