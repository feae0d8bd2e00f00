/**
 * Commands that only look, and only at files of the working directory: allowed in every mode, as the reading tools
 * are. The list is short on purpose, and an option that is not listed is asked about. Git is not on it: what it runs
 * depends on its configuration.
 */
import type { ShellWord } from './shell-words.ts'

type Words = readonly ShellWord[]

/** Programs whose short options can only change what they print. */
const looking = new Set(
  'cat head tail wc ls pwd stat basename dirname true false : tr cut nl tac cmp'.split(' '),
)
/** The long ones of those; others read the names of files from a file. */
const lookingOption =
  /^--(all|almost-all|bytes|characters|chars|classify|color|complement|delimiter|directory|fields|format|full-time|help|human-readable|inode|lines|max-line-length|number|number-nonblank|only-delimited|output-delimiter|printf|quiet|recursive|reverse|show-all|show-ends|show-tabs|silent|size|sort|squeeze-blank|suffix|time|verbose|version|words|zero)?(=.*)?$/s
const grepOption =
  /^(-[acEFGHhIiLlnoqrsvwxz]+|-[ABCm]\d*|-e|--(include|exclude|exclude-dir)=.*|--color(=.*)?)$/s
const findOption =
  /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|newer|mtime|mmin|empty|not|and|or|a|o|print|print0|prune|regex|iregex)$/
/** Programs that everybody asks for their version. */
const versioned = new Set('node npm npx pnpm yarn python python3 pip cargo go git make'.split(' '))

/** `inside`: whether the path of a word is within the working directory. */
export function onlyReads(
  [name, ...args]: Words,
  inside: (path: string, isGlob: boolean) => boolean,
): boolean {
  if (name?.kind !== 'literal') return false
  const program = name.value
  // Its words are text, and no paths.
  if (program === 'echo') return true
  const values: string[] = []
  for (const word of args) {
    if (word.kind === 'dynamic' || !inside(pathIn(word.value), word.kind === 'glob')) return false
    values.push(word.value)
  }
  const options = values.filter((value) => value.startsWith('-'))
  if (looking.has(program))
    return options.every((value) => !value.startsWith('--') || lookingOption.test(value))
  if (args.some((word) => word.kind === 'glob')) return false
  switch (program) {
    case 'printf':
      return !values[0]?.startsWith('-')
    case '[':
    case 'test':
      return !options.some((value) => value === '-v' || value === '-R')
    case 'grep':
      return options.every((value) => grepOption.test(value))
    case 'find':
      return options.every((value) => findOption.test(value))
    case 'which':
    case 'type':
      return true
    case 'command':
      return values[0] === '-v' || values[0] === '-V'
    default:
      return (
        versioned.has(program) && values.length === 1 && /^(--version|-v|-V)$/.test(values[0] ?? '')
      )
  }
}

/** The path in `--name=path` as well. */
const pathIn = (value: string): string => value.replace(/^--?[a-z0-9-]+=/i, '')
