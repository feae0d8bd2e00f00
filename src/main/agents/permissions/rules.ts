/** Matches rules against actions. */
import { matchesGlob } from 'node:path'
import { isPlainLocale } from '../../../shared/agents/plain-locale.ts'
import { isSimplePattern } from '../../globs/simple-pattern.ts'
import type { CommandRule, PatternWord, RuleTest } from './parse-rule.ts'
import { comparable } from './places.ts'
import { hasProgramOptions, isProgramOption } from './shell/program-options.ts'
import type { Segment, ShellAssignment } from './shell/segments.ts'
import type { ShellWord } from './shell/words.ts'
import { coversArgument } from './stars/starred.ts'
import { starredCommand } from './stars/starred-commands.ts'
import { textMatches } from './text-patterns.ts'

type Words = readonly ShellWord[]

export interface PlacedCommand {
  segment: Extract<Segment, { kind: 'command' }>
  /** The directory that it runs in is certainly within the working directory. */
  runsInside: boolean
  /** A pattern may match a file whose name is an option. */
  isReadOtherwise: boolean
  /** By word: whether it is within the working directory and not Git's own if it is a path. */
  isInside: readonly boolean[]
}

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
    if (!pattern.test(word.value)) return false
  }
  const more = words.slice(patterns.length)
  return !anyMore && more.length > 0 && more.every((word) => word.kind === 'dynamic')
}

/** Whether a file whose name a pattern of the shell matches, in any case with `nocaseglob`, may be a word of the rule. */
const mayBecome = (glob: string, { word }: PatternWord): boolean => {
  if (word.kind === 'literal') return mayExpandTo(comparable(glob), comparable(word.value))
  const [one, other] = [
    beforeWildcards(comparable(glob)),
    beforeWildcards(comparable(word.kind === 'glob' ? word.value : '')),
  ]
  return one.startsWith(other) || other.startsWith(one)
}

const beforeWildcards = (text: string): string => /^[^*?[\\^~#<]*/.exec(text)?.[0] ?? ''

/**
 * Reports whether a rule that allows covers the command. It has to run within the working directory, no pattern may match
 * an option, and a rule has to say its variables, what the star of a known program does not cover (`stars`), and where a star within a word
 * leads: `rm build/*.tmp` is not about `rm build/../a.tmp`, nor `rm *.tmp` about `rm /a.tmp`.
 */
export const allowsCommand = (rule: CommandRule, command: PlacedCommand): boolean =>
  (rule.words.length === 0 || (command.runsInside && !command.isReadOtherwise)) &&
  matchesCommand(rule, command.segment.words) &&
  coversStarred(rule, command) &&
  command.segment.assignments.every(
    (one) =>
      isHarmlessVariable(one) ||
      (one.value !== null &&
        rule.assignments.some(({ name, value }) => name === one.name && value === one.value)),
  ) &&
  rule.words.every((pattern, at) => staysWithin(pattern, command.segment.words[at]))

/** Whether the word leads where the rule's word does, and no further. */
function staysWithin({ word: pattern }: PatternWord, word: ShellWord | undefined): boolean {
  if (pattern.kind === 'literal')
    return word?.kind !== 'literal' || pattern.hasHome === word.hasHome
  if (pattern.kind === 'dynamic' || !word || word.kind === 'dynamic') return false
  const [first = ''] = word.value
  if (/[/~-]/.test(first) && !pattern.value.startsWith(first)) return false
  return hasParentStep(pattern) || !hasParentStep(word)
}

/** Whether a step of a path in the word is `..`. */
const hasParentStep = (word: ShellWord): boolean =>
  word.kind !== 'dynamic' && /(?:^|[/\\=:])\.\.(?:$|[/\\])/.test(word.value)

const matchesWord = (pattern: PatternWord, word: ShellWord | undefined): boolean => {
  if (word?.kind === 'literal') return pattern.test(word.value)
  // The same pattern matches the same files.
  return word?.kind === 'glob' && pattern.word.kind === 'glob' && word.value === pattern.word.value
}

const isSaid = (pattern: ShellWord | undefined, word: ShellWord): boolean =>
  pattern?.kind === 'literal' ||
  (pattern?.kind === 'glob' && word.kind === 'glob' && pattern.value === word.value)

/** Reports whether the stars of the rule cover the words that no other word of the rule says. */
function coversStarred(
  { words: patterns }: CommandRule,
  { segment: { words }, isInside }: PlacedCommand,
): boolean {
  const [program] = words
  if (patterns.length === 0 || program?.kind !== 'literal') return true
  const known = starredCommand(words)
  const literals = words.slice(1).flatMap((word) => (word.kind === 'literal' ? word.value : []))
  return words.every((word, at) => {
    if (at === 0 || isSaid(patterns[at]?.word, word)) return true
    const before = words[at - 1]
    if (known) return at < known.length || coversArgument(known.covers, word, isInside[at], before)
    // Git goes there first.
    if (before?.kind === 'literal' && before.value === '-C' && !isInside[at]) return false
    // The user wrote the rule: none with a star is proposed for this command.
    if (word.kind === 'literal') return !isProgramOption(program.value, word.value, literals)
    return !hasProgramOptions(program.value)
  })
}

/**
 * `path` is relative to the working directory. Unlike in a shell, `*` also matches names that begin with a dot:
 * `edit: **` is about `.env`, too.
 */
export const matchesEdit = (test: RuleTest, path: string): boolean =>
  test.kind === 'edit' && matchesGlob(withoutDots(path), withoutDots(test.glob))

/**
 * Replaces dots by a character without a meaning in patterns, which no path has; not in a range such as `{1..3}`.
 */
const withoutDots = (text: string): string =>
  text.replace(/(\{[^{}.,]+\.\.[^{}.,]+\})|\./g, (_, range?: string) => range ?? '\0')

/**
 * Reports whether the shell may replace a pattern of a command by this path. Names that begin with a dot are not matched
 * by `*`. True for a pattern that could take long to match.
 */
export const mayExpandTo = (pattern: string, path: string): boolean =>
  !isSimplePattern(pattern) || matchesGlob(path, widened(pattern))

/**
 * Replaces what only a shell understands, such as `[[=a=]]` and the `^` of zsh, or what is not the same in lower case,
 * such as `[^A]`, by a star.
 */
const widened = (pattern: string): string =>
  pattern
    .split('/')
    .map((part) => part.replace(shellOnly.test(part) ? /(?<=^\.?)[^.].*/ : /\[.*\]/, '*'))
    .join('/')

/** What zsh has with `extendedglob`: all but, any number of, numbers from one to another. */
const shellOnly = /\^(?![^[]*\])|~.|#|</

export const matchesTool = (test: RuleTest, tool: string, subject: string): boolean =>
  test.kind === 'tool' &&
  test.tool === tool &&
  (test.subject === null || textMatches(test.subject, subject))

/** Variables that affect only the output of programs. */
const harmlessNames = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LANGUAGE TZ TERM VERBOSE DEBUG RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED'.split(
    ' ',
  ),
)

/** Numbers to zsh and ksh, which evaluate `COLUMNS=x` as arithmetic, with substitutions in the value of `x`. */
const harmlessNumbers = new Set(['COLUMNS', 'LINES'])

/** With a plain value: GNU make expands functions in the values of variables, `$(shell program)` too. */
export function isHarmlessVariable({ name, value }: ShellAssignment): boolean {
  if (value === null) return false
  if (/^(?:LANG|LC_[A-Z]+)$/.test(name)) return isPlainLocale(value)
  if (harmlessNumbers.has(name)) return /^\d*$/.test(value)
  return (
    harmlessNames.has(name) &&
    /^[\w.,:@*/+-]*$/.test(value) &&
    // `LANGUAGE` and `TERM` name files, a time zone does by a path from the root.
    !/(?:^|:)\/|\.\.\//.test(value)
  )
}
