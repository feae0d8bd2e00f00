/**
 * Parses the text of a rule. The pattern of a command is parsed by the same grammar as commands.
 */
import { parse } from 'unbash'
import { traitsOf } from '../../../shared/agents/tool-traits.ts'
import { isSimplePattern } from '../../globs/simple-pattern.ts'
import type { ShellAssignment } from './shell/segments.ts'
import { readWord, type ShellWord } from './shell/words.ts'
import { textMatches } from './text-patterns.ts'

export type RuleTest =
  | CommandRule
  | { kind: 'edit'; glob: string }
  /** `subject`: a pattern in which `*` is any text. */
  | { kind: 'tool'; tool: string; subject: string | null }

export interface CommandRule {
  kind: 'command'
  /** The program, always literal, and its arguments; empty, with `anyMore`, in a rule about every command. */
  words: PatternWord[]
  assignments: ShellAssignment[]
  /** Any further arguments, or none, may follow. */
  anyMore: boolean
}

export interface PatternWord {
  word: ShellWord
  /** Whether it is about this text of a literal word. */
  test(text: string): boolean
}

class RuleError extends Error {
  readonly kind = 'rule'
}

const toolName = /^[a-z][a-z0-9_.-]*$/

/** Throws RuleError, whose message is one sentence. */
export function parseRule(text: string): RuleTest {
  const colon = text.indexOf(':')
  const tool = (colon < 0 ? text : text.slice(0, colon)).trim()
  const pattern = colon < 0 ? null : text.slice(colon + 1).trim()
  if (!toolName.test(tool))
    throw new RuleError(`A rule begins with a tool, as in "bash: npm test *": ${quoted(text)}.`)
  if (pattern === '') throw new RuleError(`Nothing follows the colon of ${quoted(text)}.`)
  if (tool === 'bash') return commandTest(pattern ?? '*')
  if (tool === 'edit') return { kind: 'edit', glob: editGlob(pattern ?? '**') }
  // A rule that would never apply must not pass for one that protects something.
  const decides = traitsOf(tool)?.decides
  if (decides === 'edit') throw new RuleError(`A rule about ${tool} begins with "edit:".`)
  if (decides === 'set-up') throw new RuleError(`A rule about ${tool} begins with "bash:".`)
  if (decides !== 'call') throw new RuleError(`No rule is about ${quoted(tool)}.`)
  return { kind: 'tool', tool, subject: pattern }
}

const quoted = (text: string): string => JSON.stringify(text)

function editGlob(pattern: string): string {
  if (pattern.startsWith('/') || pattern.startsWith('~') || pattern.split('/').includes('..'))
    throw new RuleError(
      `${quoted(`edit: ${pattern}`)}: the path counts from the working directory, without "..".`,
    )
  if (!isSimplePattern(pattern))
    throw new RuleError(
      `${quoted(`edit: ${pattern}`)}: the pattern could take long to match. Use at most two "*" in a name, two "**", few alternatives, and no groups such as "+(a)".`,
    )
  // No path that is compared has a step `.`, or a slash at its end.
  if (/[{,(|]\.\//.test(pattern))
    throw new RuleError(`${quoted(`edit: ${pattern}`)}: alternatives are written without "./".`)
  const plain = pattern.replace(/(?<=^|\/)(?:\.\/+)+/g, '').replace(/(?<=\/)\.$/, '')
  return plain === '' || plain === '.' || plain.endsWith('/')
    ? `${plain === '.' ? '' : plain}**`
    : plain
}

function commandTest(pattern: string): RuleTest {
  const script = parse(pattern)
  const [statement, ...others] = script.commands
  const command = statement?.command
  const problem = (what: string) => new RuleError(`${quoted(`bash: ${pattern}`)}: ${what}.`)
  if (script.errors?.length) throw problem(script.errors[0]?.message ?? 'can’t be read')
  if (others.length > 0 || command?.type !== 'Command' || statement?.background)
    throw problem('a rule is for one program; write one rule for each')
  if (command.redirects.length > 0) throw problem('a redirection needs a rule of "edit:"')
  const find = {
    script: () => fail(),
    unclear: () => fail(),
  }
  const fail = (): never => {
    throw problem('a rule holds no expansions')
  }
  const assignments = command.prefix.map((one) => {
    if (one.type !== 'Assignment' || one.value.type !== 'Word' || one.append || one.index)
      throw problem('only NAME=value may stand before the program')
    const word = readWord(one.value, find)
    if (word.kind !== 'literal') throw problem('the value of a variable has to be literal')
    return { name: one.name, value: word.value }
  })
  const words = (command.name ? [command.name, ...command.args] : []).map((one) => {
    if (one.type !== 'Word') return patternWord({ kind: 'literal', value: one.text })
    const word = readWord(one, find)
    if (word.kind === 'dynamic') throw problem('a rule holds no expansions')
    return patternWord(word)
  })
  const isStar = ({ word }: PatternWord) => word.kind === 'glob' && word.value === '*'
  const last = words.at(-1)
  const anyMore = last !== undefined && isStar(last)
  if (anyMore) words.pop()
  if (words[0] && words[0].word.kind !== 'literal')
    throw problem('the name of the program has to be literal')
  return { kind: 'command', words, assignments, anyMore }
}

const patternWord = (word: ShellWord): PatternWord => {
  const value = word.kind === 'dynamic' ? word.text : word.value
  // A quoted star is literal.
  const test = (text: string) => (word.kind === 'glob' ? textMatches(value, text) : text === value)
  return { word, test }
}
