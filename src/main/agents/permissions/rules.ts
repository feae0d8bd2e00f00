/** The text of a rule, read and matched. A command's pattern is read by the grammar that reads commands. */
import { matchesGlob } from 'node:path'
import { parse } from 'unbash'
import type { Segment, ShellAssignment } from './shell-segments.ts'
import { readWord, type ShellWord } from './shell-words.ts'

export type RuleTest =
  | { kind: 'command'; words: PatternWord[]; assignments: ShellAssignment[]; anyMore: boolean }
  | { kind: 'edit'; glob: string }
  | { kind: 'tool'; tool: string; subject: RegExp | null }

interface PatternWord {
  word: ShellWord
  /** Of a literal word. */
  test: RegExp
}

class RuleError extends Error {
  readonly kind = 'rule'
}

const toolName = /^[a-z][a-z0-9_.-]*$/

/** Throws RuleError: what is wrong with the rule, in one sentence. */
export function parseRule(text: string): RuleTest {
  const colon = text.indexOf(':')
  const tool = (colon < 0 ? text : text.slice(0, colon)).trim()
  const pattern = colon < 0 ? null : text.slice(colon + 1).trim()
  if (!toolName.test(tool))
    throw new RuleError(`A rule begins with a tool, as in "bash: npm test *": ${quoted(text)}.`)
  if (pattern === '') throw new RuleError(`Nothing follows the colon of ${quoted(text)}.`)
  if (tool === 'bash') return commandTest(pattern ?? '*')
  if (tool === 'edit') return { kind: 'edit', glob: editGlob(pattern ?? '**') }
  return { kind: 'tool', tool, subject: pattern === null ? null : wildcard(pattern) }
}

const quoted = (text: string): string => JSON.stringify(text)

function editGlob(pattern: string): string {
  if (pattern.startsWith('/') || pattern.startsWith('~') || pattern.split('/').includes('..'))
    throw new RuleError(
      `${quoted(`edit: ${pattern}`)}: the path counts from the working directory, without "..".`,
    )
  return pattern
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
  // A star in quotes is a star.
  return { word, test: word.kind === 'glob' ? wildcard(value) : exactly(value) }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const exactly = (text: string): RegExp => new RegExp(`^${escaped(text)}$`, 's')
const wildcard = (text: string): RegExp =>
  new RegExp(`^${text.split('*').map(escaped).join('.*')}$`, 's')

/** Whether the rule covers a program with its arguments. */
export function matchesCommand(
  test: RuleTest,
  { words, assignments }: Pick<Extract<Segment, { kind: 'command' }>, 'words' | 'assignments'>,
): boolean {
  if (test.kind !== 'command') return false
  const { anyMore, words: patterns } = test
  if (words.length < patterns.length || (!anyMore && words.length > patterns.length)) return false
  if (!patterns.every((pattern, at) => matchesWord(pattern, words[at]))) return false
  if (patterns.length > 0 && turnsIntoAnother(words, patterns)) return false
  return assignments.every(
    (one) =>
      isHarmlessVariable(one) ||
      (one.value !== null &&
        test.assignments.some(({ name, value }) => name === one.name && value === one.value)),
  )
}

const matchesWord = (pattern: PatternWord, word: ShellWord | undefined): boolean => {
  if (word?.kind === 'literal') return pattern.test.test(word.value)
  // Written in the same way, it matches the same files.
  return word?.kind === 'glob' && pattern.word.kind === 'glob' && word.value === pattern.word.value
}

/** Options before its subcommand by which Git runs what they name. */
const gitRunsIt = /^(-c|--config-env(=.*)?|--exec-path=.*)$/s

/** `git -c` and the like are covered only by a rule that holds them. */
function turnsIntoAnother(words: ShellWord[], patterns: PatternWord[]): boolean {
  const [program, ...args] = words
  if (program?.kind !== 'literal' || program.value !== 'git') return false
  const [first] = args
  if (first && first.kind !== 'literal') return true
  return args.some(
    (word, at) =>
      word.kind === 'literal' &&
      gitRunsIt.test(word.value) &&
      patterns[at + 1]?.word.kind !== 'literal',
  )
}

/** `path`: from the working directory. */
export const matchesEdit = (test: RuleTest, path: string): boolean =>
  test.kind === 'edit' && matchesGlob(path, test.glob)

export const matchesTool = (test: RuleTest, tool: string, subject: string): boolean =>
  test.kind === 'tool' && test.tool === tool && (test.subject?.test(subject) ?? true)

/** Variables that change what programs print, and not what they do. */
const harmlessNames = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE TZ TERM VERBOSE DEBUG RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED'.split(
    ' ',
  ),
)

export const isHarmlessVariable = ({ name }: ShellAssignment): boolean =>
  harmlessNames.has(name) || /^LC_[A-Z]+$/.test(name)

/** A variable of the shell alone: programs take no notice of such names, but for those of proxies and package managers. */
export const isOwnVariable = (one: ShellAssignment): boolean =>
  isHarmlessVariable(one) ||
  (/^[a-z][a-z0-9_]*$/.test(one.name) && !/proxy$|^npm_|^pip_|^yarn_|^pnpm_/.test(one.name))
