/**
 * The commands for which a rule may end with a star (`git log *`). What it does not cover is asked about: a list of what
 * is dangerous instead would never be complete.
 */
import type { ShellWord } from '../shell/words.ts'
import { builds, nothing, scripts, table, throughPackageManager } from './known-programs.ts'
import type { Starred } from './starred.ts'

const anyName = /^/
const usualScript =
  /^(?:build|check|ci|compile|coverage|e2e|fmt|format|lint|tests?|type-?check|types|unit|validate|verify)(?:[:.-]|$)/
/** Another script may do more with other words: `deploy staging` is not `deploy production`. */
const otherScripts: Starred = { ...scripts, isProposed: false }
/**
 * Programs of which a second argument is a script of the project. Without such a script, some run a program of that name,
 * so for them it has to be a usual name of a script.
 */
const runners = new Map([
  ['npm run', anyName],
  ['npm run-script', anyName],
  ['pnpm run', anyName],
  ['yarn run', usualScript],
  ['bun run', usualScript],
])

/** A program that runs the one that follows after `length` words. */
interface Launcher {
  length: number
  /** A package manager: it is given the arguments first, and gets a program that is not installed. */
  isManager?: boolean
}
const launchers = new Map<string, Launcher>([
  ['uv run', { length: 2 }],
  ['poetry run', { length: 2 }],
  ['bundle exec', { length: 2 }],
  ['python -m', { length: 2 }],
  ['python3 -m', { length: 2 }],
  ['npx', { length: 1, isManager: true }],
  ['bunx', { length: 1, isManager: true }],
  ['pnpm exec', { length: 2, isManager: true }],
  ['yarn exec', { length: 2, isManager: true }],
])
const packageTools = /^(?:vitest|jest|mocha|eslint|prettier|tsc)$/

/** A command that may have a star after its first `length` words. */
interface StarredCommand {
  length: number
  covers: Starred
}

const literalAt = (words: readonly ShellWord[], at: number): string | null => {
  const word = words[at]
  return word?.kind === 'literal' ? word.value : null
}
/** Null for an option, too. */
const wordAt = (words: readonly ShellWord[], at: number): string | null => {
  const word = literalAt(words, at)
  return word?.startsWith('-') ? null : word
}

/** Returns null if only its exact arguments say what the command does. */
export function starredCommand(words: readonly ShellWord[]): StarredCommand | null {
  const [program, first, second] = [0, 1, 2].map((at) => wordAt(words, at))
  if (!program) return null
  if (choosesPackage(words)) return { length: 1, covers: nothing }
  const of = (length: number, covers: Starred | undefined): StarredCommand | null =>
    // A rule for the program alone does not cover it either.
    covers ? { length: covers === nothing ? 1 : length, covers } : null
  const launcher = launchers.get(`${program} ${literalAt(words, 1)}`) ?? launchers.get(program)
  if (launcher) return launched(words, launcher)
  const scriptNames = runners.get(`${program} ${first}`)
  if (first && second && scriptNames)
    // A path is a file that it runs, rather than a script of the project.
    return second.includes('/') || isInterpreter(second) || !scriptNames.test(second)
      ? null
      : of(3, usualScript.test(second) ? scripts : otherScripts)
  return (
    of(3, table.get(`${program} ${first} ${second}`)) ??
    of(2, table.get(`${program} ${first}`)) ??
    (first && /^[\w.:-]+$/.test(first) ? of(2, builds.get(program)) : null) ??
    of(1, table.get(program))
  )
}

/**
 * Reports whether it may run the scripts of other packages of a workspace, which are elsewhere if the working directory is
 * one of its packages. To npm, a path is one from where it runs, a name any package. What follows `--` is for the script.
 */
function choosesPackage(words: readonly ShellWord[]): boolean {
  const texts = words.map((_, at) => literalAt(words, at) ?? '')
  const command = texts.slice(0, 2).join(' ')
  const options = texts.slice(2, texts.includes('--') ? texts.indexOf('--') : undefined)
  if (command === 'pnpm test') return options.some((text) => /^(?:-w|--filter)(?:=|$)/.test(text))
  return (
    /^npm (?:t|test|run|run-script)$/.test(command) &&
    options.some((text, at) => {
      const [, value] = /^(?:-w|--workspace)(?:=(.*))?$/s.exec(text) ?? [null, '/']
      return !(value ?? options[at + 1] ?? '').includes('/')
    })
  )
}

/** `uv run pytest` is covered like `pytest`. */
function launched(
  words: readonly ShellWord[],
  { length, isManager }: Launcher,
): StarredCommand | null {
  if (isManager && !packageTools.test(literalAt(words, length) ?? '')) return null
  const inner = starredCommand(words.slice(length))
  if (inner === null) return null
  const covers = isManager ? throughPackageManager(inner.covers) : inner.covers
  return { length: length + inner.length, covers }
}

/** Programs that run their input or what their arguments say, or reach outside of the working directory. */
const interpreters =
  /^(?:(?:ba|da|a|z|fi|k|mk|c|tc|pw)?sh|powershell|sudo|doas|su|ssh|eval|source|\.|exec|env|xargs|node|nodejs|[bi]?python[\d.]*|pypy[\d.]*|perl|ruby|php|deno|bun|tsx|ts-node|osascript|[gmn]?awk|sed|swift|scala|groovy|npx|bunx|uvx|pipx)$/
export const isInterpreter = (program: string): boolean => interpreters.test(program)
