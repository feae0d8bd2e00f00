/** Proposes the narrowest rule that covers a segment, for a person to remember. */

import { isProgramOption } from './program-options.ts'
import { isHarmlessVariable } from './rules.ts'
import type { Segment, ShellAssignment } from './shell-segments.ts'
import type { ShellWord } from './shell-words.ts'

/**
 * Subcommands after which a rule may allow any arguments, but not the options of `program-options.ts`. All others are
 * proposed with their exact arguments: they run, install or send what they are given, or configure other commands.
 */
const withAnyArguments = new Set(
  [
    'git add blame branch cat-file checkout cherry-pick commit describe diff diff-tree log ls-files ls-tree merge merge-base mv reset restore rev-list rev-parse revert rm shortlog show show-ref stash status switch tag',
    'npm test t run-script ls list outdated view why',
    'pnpm test ls list outdated view why',
    'yarn test list outdated info why',
    'bun test',
    'deno lint fmt doc',
    'cargo build check test clippy fmt doc bench tree metadata clean',
    'go build vet test fmt list doc version',
    'docker ps images logs version info stats top port',
    'docker-compose logs ps',
    'dotnet build test format restore',
    'poetry check show',
    'pip list show freeze check',
    'bundle list show outdated',
    'rails routes test',
    'composer show validate test',
    'terraform fmt validate',
    'brew list info search',
    'apt list show search',
  ].flatMap((line) => {
    const [program, ...subcommands] = line.split(' ')
    return subcommands.map((one) => `${program} ${one}`)
  }),
)
/** Programs whose first argument is a target or task of the project's own build. */
const buildTools = new Set(['make', 'just', 'gradle', './gradlew', 'mvn', './mvnw'])
/** Programs with two subcommands, of which any second one may have any arguments: a script of the project. */
const runsScript = new Set(['npm run', 'pnpm run', 'yarn run', 'bun run', 'uv run'])
/** The same with these second ones only. */
const withSecond = new Set([
  'docker compose logs',
  'docker compose ps',
  'docker container ls',
  'docker image ls',
  'gh issue list',
  'gh issue view',
  'gh pr checks',
  'gh pr diff',
  'gh pr list',
  'gh pr status',
  'gh pr view',
  'gh run list',
  'gh run view',
])
/** Programs for which a rule may allow any arguments: tests, linters, builds. */
const anyArguments = new Set(
  'vitest jest mocha pytest eslint prettier biome tsc ruff mypy rspec phpunit'.split(' '),
)
/**
 * Programs that run their input, or reach outside of the working directory: a rule for them would
 * cover anything.
 */
const interpreters = new Set(
  'sh bash dash zsh fish ksh sudo doas su ssh eval source . exec env xargs node python python3 perl ruby php deno bun osascript awk sed npx bunx uvx pipx'.split(
    ' ',
  ),
)

/** Returns null if a rule would cover too much, or can't be written. */
export function proposedRule({
  words,
  assignments,
}: Extract<Segment, { kind: 'command' }>): string | null {
  const [name, ...args] = words
  const prefix = assignments.filter((one) => !isHarmlessVariable(one))
  if (prefix.some(({ value }) => value === null)) return null
  if (name === undefined || name.kind !== 'literal') return null
  const start = [...prefix.map(textOfAssignment), shellQuoted(name.value)]
  const literals = args.map((word) => (word.kind === 'literal' ? word.value : null))
  const certain = literals.filter((one) => one !== null)
  const namesWhatRuns = certain.some((one) => isProgramOption(name.value, one, certain))
  if (anyArguments.has(name.value) && !namesWhatRuns) return rule([...start, '*'])
  const named = decisiveArguments(name.value, literals)
  if (named) return rule([...start, ...named.map(shellQuoted), '*'])
  if (args.some((word) => word.kind === 'dynamic')) return null
  // As the last word of a rule it matches any arguments.
  if (args.at(-1)?.kind === 'glob' && textOfWord(args.at(-1) as ShellWord) === '*') return null
  if (interpreters.has(name.value) && (args.length === 0 || literals[0]?.startsWith('-')))
    return null
  return rule([...start, ...args.map(textOfWord)])
}

const rule = (words: string[]): string => `bash: ${words.join(' ')}`

/** Returns the first arguments if they alone determine the action; null if all arguments do. */
function decisiveArguments(program: string, args: (string | null)[]): string[] | null {
  const [first, second] = args
  if (!first || first.startsWith('-')) return null
  const literals = args.filter((one) => one !== null)
  if (literals.some((one) => isProgramOption(program, one, literals))) return null
  if (buildTools.has(program) || withAnyArguments.has(`${program} ${first}`)) return [first]
  if (!second || second.startsWith('-') || interpreters.has(second)) return null
  const isNamed =
    runsScript.has(`${program} ${first}`) || withSecond.has(`${program} ${first} ${second}`)
  return isNamed ? [first, second] : null
}

const textOfAssignment = ({ name, value }: ShellAssignment): string =>
  `${name}=${shellQuoted(value ?? '')}`

const textOfWord = (word: ShellWord): string =>
  word.kind === 'glob' ? word.value : word.kind === 'literal' ? shellQuoted(word.value) : word.text

/** Quotes a text so that it is one word of a command. */
function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
