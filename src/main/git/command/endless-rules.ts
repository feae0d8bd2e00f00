/**
 * Rules of `.gitignore` and `.gitattributes` that Git may need years to match: it tries each combination of the folders
 * that the `**` of one rule could begin at, and each rule with each path. An agent can write such rules, and then each call about its working tree would
 * wait, also those of its removal.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'

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
    const check = createRuleCheck(String(file), matched)
    for await (const part of handle.createReadStream({ autoClose: false })) {
      const why = check.add(part)
      if (why !== null) return why
    }
    return check.end()
  } catch {
    return null
  } finally {
    await handle.close()
  }
}

/** The bytes that are checked at once, in some milliseconds. */
const partBytes = 1024 * 1024

/** Like `endlessRuleIn`, of a text. `name` is that of the file. `isOver` reports that nobody needs the answer any more. */
export async function endlessRuleAmong(
  text: Buffer,
  { name, isOver, ...matched }: Matched & { name: string; isOver: () => boolean },
): Promise<string | null> {
  const check = createRuleCheck(name, matched)
  for (let at = 0; at < text.length && !isOver(); at += partBytes) {
    const why = check.add(text.subarray(at, at + partBytes))
    if (why !== null) return why
    await setImmediate()
  }
  return check.end()
}

const [lineFeed = 0, space = 0, star = 0, slash = 0] = Buffer.from('\n */')

/**
 * Checks a text that comes in parts, byte by byte: one of nothing but line breaks, of which a repository can hold a
 * hundred megabytes in some kilobytes, is more lines than an array has room for.
 */
function createRuleCheck(name: string, { depth, afterMs }: Matched) {
  let line = 1
  let stars = 0
  /** How much of `**` and a slash the last bytes are. */
  let begun = 0
  const whyOf = (): string | null => {
    if (line > rulesMax && afterMs > suspectMs)
      return `${name} has more than ${rulesMax.toLocaleString('en')} lines, and Git may compare each path with each; delete those that are not needed`
    const isSuspect = stars > starsMax && afterMs > suspectMs
    return isSuspect || combinations(depth, stars) > triesMax
      ? `line ${line} of ${name} has so many ** that Git might match it for years; delete it`
      : null
  }
  return {
    add(part: Buffer): string | null {
      for (let at = 0; at < part.length; at++) {
        const byte = part[at] ?? 0
        // `**` at the end of a rule is matched at once.
        if (begun === 3 && byte > space) stars++
        if (byte === lineFeed) {
          const why = stars > 0 || line > rulesMax ? whyOf() : null
          if (why !== null) return why
          line++
          stars = 0
        }
        if (byte === star) begun = begun === 1 || begun === 2 ? 2 : 1
        else begun = byte === slash && begun === 2 ? 3 : 0
      }
      return null
    },
    /** Called after the last part, whose last line need not end with a line break. */
    end: whyOf,
  }
}

/** How many ways there are to choose `of` from `count`. */
function combinations(count: number, of: number): number {
  let ways = 1
  for (let chosen = 0; chosen < of && ways > 0 && ways < Number.MAX_VALUE; chosen++)
    ways *= (count - chosen) / (chosen + 1)
  return Math.max(0, ways)
}
