/**
 * Rules of `.gitignore` and `.gitattributes` that Git may need years to match: it tries each combination of the folders
 * that the `**` of one rule could begin at, and each rule with each path. An agent can write such rules, and then each call about its working tree would
 * wait, also those of its removal.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * An honest rule has one or two, rarely more. A path of the index may be deeper than all on the disk, so that more are
 * suspect of a call that takes longer than those in a tree of hundreds of thousands of files.
 */
const starsMax = 3
const suspectMs = 60_000
/** About a tenth of a second for each path. */
const triesMax = 1_000_000
/** An honest file has some hundred, rarely some thousand. */
const rulesMax = 100_000
/** Git itself reads no larger attributes; a larger file of rules is none that anybody wrote. */
const rulesBytesMax = 100 * 1024 * 1024

/** The commands of Git that match paths with such rules. */
const matching = new Set([
  'add',
  'archive',
  'check-attr',
  'checkout',
  'checkout-index',
  'diff',
  'diff-files',
  'diff-index',
  'diff-tree',
  'format-patch',
  'hash-object',
  'ls-files',
  'merge-file',
  'merge-tree',
  'read-tree',
  'reset',
  'status',
  'update-index',
  'worktree',
])

/** Reports whether a call may have to match paths with rules. */
export const matchesRules = (args: readonly string[]): boolean =>
  args.some((arg) => matching.has(arg))

/** How deep the paths are that the rules are matched with, and how long the call takes already. */
interface Matched {
  depth: number
  afterMs: number
}

/** Says which rule of a file may take so long, and what to do; null if none does, or it is no file that Git reads. */
export async function endlessRuleIn(
  file: string | Buffer,
  matched: Matched,
): Promise<string | null> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const handle = await open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch(() => null)
  if (handle === null) return null
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > rulesBytesMax) return null
    const lines = handle.readLines({ encoding: 'latin1', autoClose: false })
    return await endlessRuleAmong(lines, String(file), matched)
  } catch {
    return null
  } finally {
    await handle.close()
  }
}

/** Like `endlessRuleIn`, of lines. `name` is that of the file. */
export async function endlessRuleAmong(
  lines: AsyncIterable<string> | Iterable<string>,
  name: string,
  { depth, afterMs }: Matched,
): Promise<string | null> {
  let line = 0
  for await (const rule of lines) {
    line++
    if (line > rulesMax && afterMs > suspectMs)
      return `${name} has more than ${rulesMax.toLocaleString('en')} lines, and Git may compare each path with each; delete those that are not needed`
    // One at the end is matched at once.
    const stars = rule.match(/\*\*(?=\/\S)/g)?.length ?? 0
    const isSuspect = stars > starsMax && afterMs > suspectMs
    if (isSuspect || combinations(depth, stars) > triesMax)
      return `line ${line} of ${name} has so many ** that Git might match it for years; delete it`
  }
  return null
}

/** How many ways there are to choose `of` from `count`. */
function combinations(count: number, of: number): number {
  let ways = 1
  for (let chosen = 0; chosen < of; chosen++) ways *= (count - chosen) / (chosen + 1)
  return Math.max(0, ways)
}
