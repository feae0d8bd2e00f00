/** Which patterns are matched at once, without a limit of time. Pure, because stories decide about permissions in a browser. */

const lengthMax = 1_000
const alternativesMax = 1_000
/** A range of at most a hundred numbers or letters. */
const shortRange = /\{(?:-?\d{1,2}\.\.-?\d{1,2}|[a-z]\.\.[a-z])\}/gi

/**
 * Reports whether the pattern is matched at once, whatever the path: it has few stars that could stand for the same
 * characters, few alternatives, and no group such as `+(a)`.
 */
export function isSimplePattern(pattern: string): boolean {
  if (pattern.length > lengthMax || /[?*+@!]\(/.test(pattern)) return false
  const ranges = pattern.match(shortRange)?.length ?? 0
  const others = pattern.replace(shortRange, '')
  // At least as many as the braces stand for.
  const alternatives = others
    .split('{')
    .reduce((count, part) => count * part.split(',').length, 100 ** ranges)
  return (
    alternatives <= alternativesMax &&
    !/\{[^{}]*\.\./.test(others) &&
    pattern.split('**').length <= 3 &&
    pattern.split('/').every((name) => name.split('*').length <= 3)
  )
}
