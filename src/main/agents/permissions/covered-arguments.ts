/** Decides which arguments of a command the star of a rule covers. */
import { pathIn } from './reading-commands.ts'
import type { ShellWord } from './shell-words.ts'
import type { Starred } from './starred-commands.ts'

/** Parsers of addresses skip space and control characters. */
const isAddress = (value: string): boolean =>
  [...value].some((character) => character < ' ') ||
  /^\s*(?:(?:data|file|https?):|\w+:\/\/)/i.test(value)

/** A path out of the working directory within an argument: `json:../out`, `html=/tmp/out`. */
const outsideInPart = /[=:,](?:~|\/|\.\.(?:\/|$))/

/**
 * Patterns that a program itself expands to paths with `..` or from the root, such as `{../a,b}`, `[.][.]/a`, `{,b}/a`
 * and `\.\./a`; and an option within brackets, as in pnpm's `[--output=a]`.
 */
const leadsElsewhere = /\\|[{([](?:[^})\]]*[./,](?=[,})\]])|[^})\]]*[./]|[-,])/

/**
 * Whether an argument may mean more to a program than a path, a name or a text. Many programs load a module or a package
 * from an address; Git does not in these commands. Package managers quote arguments for a shell, older ones so that it
 * still expands them.
 */
function meansMore(kind: Starred['kind'], text: string): boolean {
  if (kind === 'git') return false
  if (isAddress(pathIn(text))) return true
  if (kind === 'script' && /["$`\\]/.test(text)) return true
  return kind !== 'other' && (outsideInPart.test(text) || leadsElsewhere.test(text))
}

/** Reports whether the star covers the argument at `at`. `isInside`: if it is a path, it is within the working directory. */
export function coversArgument(
  { names, letters, operands, kind }: Starred,
  words: readonly ShellWord[],
  at: number,
  isInside: boolean | undefined,
): boolean {
  const word = words[at]
  if (!word || word.kind === 'dynamic' || !isInside) return false
  const text = word.value
  if (meansMore(kind, text)) return false
  if (text === '--' || text === '-') return true
  if (!text.startsWith('-'))
    return operands?.test(text) ?? (word.kind === 'literal' && /^\d+$/.test(text))
  const [name = ''] = text.split('=', 1)
  if (name !== text && !coversValue({ operands, kind }, text.slice(name.length + 1))) return false
  if (names.has(name) || names.has(text)) return true
  const given = /^-([A-Za-z]+)=?\d*%?$/.exec(text)?.[1] ?? (/^-\d+$/.test(text) ? '' : null)
  if (given === null) return false
  if (given === '') return letters.includes('1')
  const after = words.slice(0, at).some((one) => one.kind === 'literal' && one.value === '--')
  // A package manager may take `-abc` for a long option that begins so, if it comes before the `--`.
  if (given.length > 1 && kind === 'script' && !after) return false
  return [...given].every((letter) => letters.includes(letter))
}

function coversValue(
  { operands, kind }: Pick<Starred, 'operands' | 'kind'>,
  value: string,
): boolean {
  // Test runners pass it on as an argument of its own: to a program to which it is an option.
  if (value.startsWith('-') && (kind === 'tests' || kind === 'script')) return false
  return operands?.test(value) ?? true
}
