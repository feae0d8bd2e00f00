/**
 * Commands that only read, and only files of the working directory: allowed in every mode, like the
 * reading tools. The list is short on purpose, and other options ask. Git is not listed, because
 * its configuration can make it run anything.
 */
import type { ShellWord } from './words.ts'

type Words = readonly ShellWord[]

/** Programs whose short options only affect their output. */
const readingPrograms = new Set(
  'cat head tail wc ls pwd stat basename dirname true false : tr cut nl tac cmp'.split(' '),
)
/** Their allowed long options; others read file names from a file. */
const readingOption =
  /^--(all|almost-all|bytes|characters|chars|classify|color|complement|delimiter|directory|fields|format|full-time|help|human-readable|inode|lines|max-line-length|number|number-nonblank|only-delimited|output-delimiter|printf|quiet|recursive|reverse|show-all|show-ends|show-tabs|silent|size|sort|squeeze-blank|suffix|time|verbose|version|words|zero)?(=.*)?$/s
const grepOption =
  /^(-[acEFGHhIiLlnoqrsvwxz]+|-[ABCm]\d*|-e|--(include|exclude|exclude-dir)=.*|--color(=.*)?)$/s
const findOption =
  /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|newer|mtime|mmin|empty|not|and|or|a|o|print|print0|prune|regex|iregex)$/
/** What `test` may ask of a file. All else is left out: some shells evaluate what they compare as arithmetic. */
const fileTests = new Set(['-e', '-f', '-d', '-s', '-r', '-w', '-x', '-L'])
/** Programs that look at nothing in the folder that they are in. */
const lookNowhere = new Set(['pwd', 'true', 'false', ':'])
/**
 * Programs that may be called with `--version`, which is all that they print. Others are missing, because the folder decides
 * what they start: `node` and `python` may be shims (with asdf, `path:` in `.tool-versions` names a folder with the
 * program, and `.asdfrc` commands to run before it), `yarn` runs the file of `yarnPath` in `.yarnrc.yml`, `pnpm` the version
 * of `package.json`, `cargo` the toolchain of `rust-toolchain.toml`. Before version 10, `npm` and `npx` write a log to the
 * `logs-dir` of `.npmrc`, which may be anywhere. `pip` loads modules of the folder if `PYTHONPATH` has an empty entry, as
 * after `PYTHONPATH=$PYTHONPATH:/lib`. To the make of BSD, `-v` is no version.
 */
const printVersion = new Set(['git', 'make'])

/** `inside` reports whether the path of a word is inside the working directory. */
export function onlyReads(
  [name, ...args]: Words,
  inside: (path: string, isGlob: boolean) => boolean,
): boolean {
  if (name?.kind !== 'literal') return false
  const program = name.value
  // Its arguments are text, not paths, but patterns become names of files.
  if (program === 'echo')
    return args.every((word) =>
      word.kind === 'glob' ? inside(word.value, true) : word.kind === 'literal' || !word.isPattern,
    )
  const values: string[] = []
  for (const word of args) {
    // Bash replaces the `~` of `a=~/b`, so that a link `a=` may lead anywhere.
    if (word.kind === 'literal' && word.hasHome) return false
    if (word.kind === 'dynamic' || !inside(pathIn(word.value), word.kind === 'glob')) return false
    // After `--` it is a file of that name, which may be a link.
    if (!inside(word.value, word.kind === 'glob')) return false
    values.push(word.value)
  }
  // Without arguments, `ls` and `find` look at the folder that they are in.
  if (!lookNowhere.has(program) && !inside('.', false)) return false
  const options = values.filter((value) => value.startsWith('-'))
  // Through links, it lists folders that they lead to.
  if (program === 'ls' && options.some((value) => /^-[^-]*L/.test(value))) return false
  if (readingPrograms.has(program))
    return options.every((value) => !value.startsWith('--') || readingOption.test(value))
  if (args.some((word) => word.kind === 'glob')) return false
  switch (program) {
    case '[':
      return values.at(-1) === ']' && onlyTestsFile(values.slice(0, -1))
    case 'test':
      return onlyTestsFile(values)
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
      return printVersion.has(program) && values.length === 1 && values[0] === '--version'
  }
}

/** Reports whether a program of these may look at all that is below a folder. */
export function looksBelow([name, ...args]: Words): boolean {
  const program = name?.kind === 'literal' ? name.value : ''
  return (
    program === 'find' ||
    args.some((word) => word.kind !== 'dynamic' && /^(?:-[^-]*[rR]|--recursive)/.test(word.value))
  )
}

function onlyTestsFile(values: string[]): boolean {
  const [operator = '', file, ...more] = values[0] === '!' ? values.slice(1) : values
  return fileTests.has(operator) && file !== undefined && more.length === 0
}

/** Includes the path in `--name=path`. */
export const pathIn = (value: string): string => value.replace(/^--?[a-z0-9-]+=/i, '')
