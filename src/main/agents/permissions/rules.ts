/** Matches rules against actions. */
import { matchesGlob } from 'node:path'
import type { PatternWord, RuleTest } from './parse-rule.ts'
import type { Segment, ShellAssignment } from './shell-segments.ts'
import type { ShellWord } from './shell-words.ts'

/** Reports whether the rule matches a program with its arguments. */
export function matchesCommand(
  test: RuleTest,
  { words, assignments }: Pick<Extract<Segment, { kind: 'command' }>, 'words' | 'assignments'>,
): boolean {
  if (test.kind !== 'command') return false
  const { anyMore, words: patterns } = test
  if (words.length < patterns.length || (!anyMore && words.length > patterns.length)) return false
  if (!patterns.every((pattern, at) => matchesWord(pattern, words[at]))) return false
  if (patterns.length > 0 && hasUnmatchedGitOption(words, patterns)) return false
  return assignments.every(
    (one) =>
      isHarmlessVariable(one) ||
      (one.value !== null &&
        test.assignments.some(({ name, value }) => name === one.name && value === one.value)),
  )
}

/**
 * Reports whether a rule that allows covers the command. A star within a word does not cover a `..`, which would lead out
 * of the folder that the rule names: `rm build/*.tmp` is not about `rm build/../a.tmp`.
 */
export const allowsCommand = (
  test: RuleTest,
  segment: Parameters<typeof matchesCommand>[1],
): boolean =>
  matchesCommand(test, segment) &&
  (test.kind !== 'command' ||
    test.words.every(
      ({ word }, at) =>
        word.kind !== 'glob' || hasParentStep(word) || !hasParentStep(segment.words[at]),
    ))

/** Whether a step of a path in the word is `..`. */
const hasParentStep = (word: ShellWord | undefined): boolean =>
  word?.kind !== 'dynamic' && /(?:^|[/\\=:])\.\.(?:$|[/\\])/.test(word?.value ?? '')

const matchesWord = (pattern: PatternWord, word: ShellWord | undefined): boolean => {
  if (word?.kind === 'literal') return pattern.test.test(word.value)
  // The same pattern matches the same files.
  return word?.kind === 'glob' && pattern.word.kind === 'glob' && word.value === pattern.word.value
}

/** Options before the subcommand with which Git runs a given program. */
const gitProgramOption = /^(-c|--config-env(=.*)?|--exec-path=.*)$/s

/** `git -c` and similar options are matched only by a rule that contains them. */
function hasUnmatchedGitOption(words: ShellWord[], patterns: PatternWord[]): boolean {
  const [program, ...args] = words
  if (program?.kind !== 'literal' || program.value !== 'git') return false
  const [first] = args
  if (first && first.kind !== 'literal') return true
  return args.some(
    (word, at) =>
      word.kind === 'literal' &&
      gitProgramOption.test(word.value) &&
      patterns[at + 1]?.word.kind !== 'literal',
  )
}

/** `path` is relative to the working directory. */
export const matchesEdit = (test: RuleTest, path: string): boolean =>
  test.kind === 'edit' && matchesGlob(path, test.glob)

export const matchesTool = (test: RuleTest, tool: string, subject: string): boolean =>
  test.kind === 'tool' && test.tool === tool && (test.subject?.test(subject) ?? true)

/** Variables that affect only the output of programs. */
const harmlessNames = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE TZ TERM VERBOSE DEBUG RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED'.split(
    ' ',
  ),
)

export const isHarmlessVariable = ({ name }: ShellAssignment): boolean =>
  harmlessNames.has(name) || /^LC_[A-Z]+$/.test(name)

/**
 * A variable that only the shell reads. Programs ignore such names, except those of proxies and
 * package managers.
 */
export const isShellVariable = (one: ShellAssignment): boolean =>
  isHarmlessVariable(one) ||
  (/^[a-z][a-z0-9_]*$/.test(one.name) && !/proxy$|^npm_|^pip_|^yarn_|^pnpm_/.test(one.name))
