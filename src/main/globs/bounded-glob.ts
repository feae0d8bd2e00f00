/**
 * Matches paths against patterns that somebody else wrote, such as a repository or an agent, by Node's `matchesGlob` and in
 * bounded time: as a regular expression, a pattern such as `+(+(a)|a)b` may take years.
 */
import { matchesGlob } from 'node:path'
import { createContext, Script } from 'node:vm'

/** Any honest pattern takes microseconds, and more if the machine is busy. */
const msMax = 1_000
/** For each further path that is matched at once. */
const msMaxOfPath = 0.02

/** The pattern is too large for a regular expression, or takes too long to match. */
export class PatternError extends Error {
  constructor(pattern: string, cause?: unknown) {
    const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
    const why = cause === undefined ? 'takes too long to match' : 'can’t be matched'
    super(`The pattern ${JSON.stringify(shown)} ${why}.`, { cause })
  }
}

/** Throws PatternError. */
export const matchesInTime = (path: string, pattern: string): boolean =>
  inTime(pattern, 1, () => matchesGlob(path, pattern))

/** Returns the items whose paths match. Throws PatternError. */
export const filterInTime = <Item>(
  items: readonly Item[],
  pattern: string,
  pathOf: (item: Item) => string,
): Item[] =>
  inTime(pattern, items.length, () => items.filter((item) => matchesGlob(pathOf(item), pattern)))

/** Patterns that took too long. Each is tried only once: a limit is long enough for any honest one. */
const slow = new Set<string>()
const slowMax = 1_000

function inTime<Result>(pattern: string, paths: number, match: () => Result): Result {
  if (slow.has(pattern)) throw new PatternError(pattern)
  try {
    return isSimplePattern(pattern) && paths <= fewPaths
      ? match()
      : limited(match, Math.ceil(msMax + paths * msMaxOfPath))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new PatternError(pattern, error)
    if (slow.size >= slowMax) slow.clear()
    slow.add(pattern)
    throw new PatternError(pattern)
  }
}

const shortPatternMax = 1_000
const fewPaths = 100
const alternativesMax = 1_000

/** Of at most a hundred numbers or letters. */
const shortRange = /\{(?:-?\d{1,2}\.\.-?\d{1,2}|[a-z]\.\.[a-z])\}/gi

/**
 * Reports whether the pattern is matched at once, whatever the path: it has few stars that could stand for the same
 * characters, few alternatives, and no group such as `+(a)`.
 */
export function isSimplePattern(pattern: string): boolean {
  if (pattern.length > shortPatternMax || /[?*+@!]\(/.test(pattern)) return false
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

const context = createContext({ work: null })
const script = new Script('work()')

/** Throws with code ERR_SCRIPT_EXECUTION_TIMEOUT. The limit of a script holds for whatever it calls. */
function limited<Result>(work: () => Result, timeoutMs: number): Result {
  context.work = work
  try {
    return script.runInContext(context, { timeout: timeoutMs }) as Result
  } finally {
    context.work = null
  }
}
