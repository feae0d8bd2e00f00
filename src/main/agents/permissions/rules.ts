/** Matches rules against actions. */
import { matchesGlob } from 'node:path'
import { isPlainLocale } from '../../../shared/plain-locale.ts'
import type { CommandRule, PatternWord, RuleTest } from './parse-rule.ts'
import { isProgramOption } from './program-options.ts'
import type { Segment, ShellAssignment } from './shell-segments.ts'
import type { ShellWord } from './shell-words.ts'

type Words = readonly ShellWord[]

/** Reports whether the rule is about a program with these arguments, all of them certain. */
export function matchesCommand({ anyMore, words: patterns }: CommandRule, words: Words): boolean {
  if (words.length < patterns.length || (!anyMore && words.length > patterns.length)) return false
  return patterns.every((pattern, at) => matchesWord(pattern, words[at]))
}

/**
 * Reports whether the rule may be about the command once its expansions and patterns are replaced: `git $a` may be
 * `git push`. False where only `matchesCommand` is true.
 */
export function mayMatchCommand({ anyMore, words: patterns }: CommandRule, words: Words): boolean {
  for (const [at, pattern] of patterns.entries()) {
    const word = words[at]
    if (!word) return false
    if (word.kind === 'dynamic') return true
    if (word.kind === 'glob') return mayBecome(word.value, pattern)
    if (!pattern.test.test(word.value)) return false
  }
  const more = words.slice(patterns.length)
  return !anyMore && more.length > 0 && more.every((word) => word.kind === 'dynamic')
}

/** Whether a file whose name a pattern of the shell matches may be a word of the rule. */
const mayBecome = (glob: string, { word }: PatternWord): boolean => {
  if (word.kind === 'literal') return matchesGlob(word.value, glob)
  const [one, other] = [
    beforeWildcards(glob),
    beforeWildcards(word.kind === 'glob' ? word.value : ''),
  ]
  return one.startsWith(other) || other.startsWith(one)
}

const beforeWildcards = (text: string): string => /^[^*?[\\]*/.exec(text)?.[0] ?? ''

/**
 * Reports whether a rule that allows covers the command. Three things need a rule that says them: a variable; an option
 * with which the program runs or writes what it names; and, for a star within a word, a `..`, which would lead out of the folder
 * that the rule names: `rm build/*.tmp` is not about `rm build/../a.tmp`.
 */
export const allowsCommand = (
  rule: CommandRule,
  { words, assignments }: Extract<Segment, { kind: 'command' }>,
): boolean =>
  matchesCommand(rule, words) &&
  !hasUnmatchedOption(words, rule.words) &&
  assignments.every(
    (one) =>
      isHarmlessVariable(one) ||
      (one.value !== null &&
        rule.assignments.some(({ name, value }) => name === one.name && value === one.value)),
  ) &&
  rule.words.every(
    ({ word }, at) => word.kind !== 'glob' || hasParentStep(word) || !hasParentStep(words[at]),
  )

/** Whether a step of a path in the word is `..`. */
const hasParentStep = (word: ShellWord | undefined): boolean =>
  word !== undefined && word.kind !== 'dynamic' && /(?:^|[/\\=:])\.\.(?:$|[/\\])/.test(word.value)

const matchesWord = (pattern: PatternWord, word: ShellWord | undefined): boolean => {
  if (word?.kind === 'literal') return pattern.test.test(word.value)
  // The same pattern matches the same files.
  return word?.kind === 'glob' && pattern.word.kind === 'glob' && word.value === pattern.word.value
}

function hasUnmatchedOption(words: Words, patterns: PatternWord[]): boolean {
  const [program, ...args] = words
  if (patterns.length === 0 || program?.kind !== 'literal') return false
  const literals = args.flatMap((word) => (word.kind === 'literal' ? word.value : []))
  // Before the subcommand of Git, it may be an option as well.
  if (program.value === 'git' && args[0] && args[0].kind !== 'literal') return true
  return args.some(
    (word, at) =>
      word.kind === 'literal' &&
      isProgramOption(program.value, word.value, literals) &&
      patterns[at + 1]?.word.kind !== 'literal',
  )
}

/** `path` is relative to the working directory. */
export const matchesEdit = (test: RuleTest, path: string): boolean =>
  test.kind === 'edit' && globMatches(test.glob, path)

/** Unlike in a shell, `*` also matches names that begin with a dot: `edit: **` is about `.env`, too. */
export const globMatches = (glob: string, path: string): boolean =>
  matchesGlob(withoutDots(path), withoutDots(glob))

/** Replaces dots by a character without a meaning in patterns; not in a range such as `{1..3}`. */
const withoutDots = (text: string): string =>
  text.replace(/(\{[^{}.,]+\.\.[^{}.,]+\})|\./g, (_, range?: string) => range ?? '\uE000')

export const matchesTool = (test: RuleTest, tool: string, subject: string): boolean =>
  test.kind === 'tool' && test.tool === tool && (test.subject?.test(subject) ?? true)

/** Variables that affect only the output of programs. */
const harmlessNames = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANGUAGE TZ TERM VERBOSE DEBUG RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED'.split(
    ' ',
  ),
)

/** With a plain value: GNU make expands functions in the values of variables, `$(shell program)` too. */
export const isHarmlessVariable = ({ name, value }: ShellAssignment): boolean =>
  /^(?:LANG|LC_[A-Z]+)$/.test(name)
    ? isPlainLocale(value ?? '$')
    : harmlessNames.has(name) && /^[\w.,:@*/+-]*$/.test(value ?? '$')

/**
 * A variable that only the shell reads. Programs ignore such names, except those of proxies and
 * package managers.
 */
export const isShellVariable = (one: ShellAssignment): boolean =>
  isHarmlessVariable(one) ||
  (/^[a-z][a-z0-9_]*$/.test(one.name) && !/proxy$|^npm_|^pip_|^yarn_|^pnpm_/.test(one.name))
