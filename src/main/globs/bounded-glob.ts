/**
 * Matches paths against patterns that somebody else wrote, such as a repository or an agent, by Node's `matchesGlob` and in
 * bounded time: as a regular expression, a pattern such as `+(+(a)|a)b` may take years.
 */
import { matchesGlob } from 'node:path'
import { createContext, Script } from 'node:vm'
import { isSimplePattern } from './simple-pattern.ts'

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

/** For this many, a limit costs more than matching a simple pattern. */
const fewPaths = 100

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
