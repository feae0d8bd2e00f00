/** Finds the other ways to write a command that a rule may be about. */
import { basename } from 'node:path'
import { literal, type ShellWord } from './words.ts'

/**
 * Returns the forms in which rules that narrow match a command: a program given by its path, and Git
 * with options before its subcommand, count as the plain program.
 */
export function equivalentCommands(words: ShellWord[]): ShellWord[][] {
  const [name, ...args] = words
  if (name?.kind !== 'literal') return [words]
  // Some file systems ignore the case of a program's name.
  const program = basename(name.value).toLowerCase()
  const plain: ShellWord[] = [literal(program), ...args]
  if (program.startsWith('git-'))
    return [words, plain, [literal('git'), literal(program.slice('git-'.length)), ...args]]
  if (program !== 'git') return [words, plain]
  return [words, plain, ...subcommandsOf(args).map((rest) => [literal(program), ...rest])]
}

/** Options of `git` itself whose value is the next word. */
const gitValue =
  /^(-C|-c|--(git-dir|work-tree|namespace|config-env|super-prefix|attr-source|shallow-file))$/
/** Those without a value in the next word. */
const gitFlag =
  /^(--.*=.*|-[pPhv]|--(version|help|exec-path|html-path|man-path|info-path|paginate|no-pager|bare|no-replace-objects|literal-pathspecs|glob-pathspecs|noglob-pathspecs|icase-pathspecs|no-optional-locks|no-lazy-fetch|no-advice))$/

/** Returns the arguments of `git` from its subcommand on: both ways for an option that may have a value. */
function subcommandsOf(args: ShellWord[]): ShellWord[][] {
  const [first] = args
  if (first?.kind !== 'literal' || !first.value.startsWith('-')) return [args]
  const afterValue = gitFlag.test(first.value) ? [] : subcommandsOf(args.slice(2))
  const afterFlag = gitValue.test(first.value) ? [] : subcommandsOf(args.slice(1))
  return [...afterFlag, ...afterValue].slice(0, subcommandsMax)
}

/** Unknown options double them. */
const subcommandsMax = 50
