/** Proposes the narrowest rule that covers a segment, for a person to remember. */

import { isGitProgramOption, isHarmlessVariable } from './rules.ts'
import type { Segment, ShellAssignment } from './shell-segments.ts'
import type { ShellWord } from './shell-words.ts'

/** Programs whose first argument is a subcommand. */
const withSubcommand = new Set(
  'git npm pnpm yarn bun deno cargo go docker kubectl gh make just gradle ./gradlew mvn ./mvnw dotnet poetry uv pip bundle rails composer terraform brew apt helm'.split(
    ' ',
  ),
)
/** Programs with two subcommands: `npm run build`. */
const twoSubcommands = new Set([
  'npm run',
  'pnpm run',
  'yarn run',
  'bun run',
  'docker compose',
  'uv run',
])
/**
 * Subcommands that run, install or send to their arguments, or configure other commands: proposed
 * only verbatim.
 */
const runsAnything = new Set(
  [
    'git config rebase bisect submodule filter-branch difftool mergetool grep clone fetch pull push ls-remote archive format-patch bundle send-email',
    'npm exec x explore config set install i add init create',
    'pnpm exec dlx x config install i add create',
    'yarn exec dlx node config install add create',
    'bun x exec install add create',
    'deno run eval task install repl',
    'cargo run install',
    'go run generate install tool env',
    'docker run exec build buildx cp create compose',
    'kubectl exec run cp apply create debug edit replace config',
    'gh api alias extension codespace',
    'dotnet run exec tool',
    'poetry run config',
    'uv run pip tool add',
    'pip install config',
    'bundle exec config install',
    'rails runner console',
    'composer exec run-script config require',
    'terraform apply console',
    'brew install',
    'apt install',
    'helm install upgrade plugin',
  ].flatMap((line) => {
    const [program, ...subcommands] = line.split(' ')
    return subcommands.map((one) => `${program} ${one}`)
  }),
)
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
  if (anyArguments.has(name.value)) return rule([...start, '*'])
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
  if (!withSubcommand.has(program) || !first || first.startsWith('-')) return null
  const literals = args.filter((one) => one !== null)
  if (program === 'git' && literals.some((one) => isGitProgramOption(one, literals))) return null
  const isTwo = twoSubcommands.has(`${program} ${first}`)
  if (!isTwo) return runsAnything.has(`${program} ${first}`) ? null : [first]
  const isNamed = second && !second.startsWith('-') && !interpreters.has(second)
  return isNamed && !(first === 'compose' && runsAnything.has(`${program} ${second}`))
    ? [first, second]
    : null
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
