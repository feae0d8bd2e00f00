/**
 * Options with which a program runs, writes or reads what they name, so that no `*` of a rule covers them. Where a rule
 * with a star is proposed, `../stars/starred-commands.ts` says what it covers instead.
 */

/** In Git, at any place. It takes any beginning of a long option that is unique (`--receive=…`). */
const gitOptions = [
  '--config-env',
  '--exec',
  '--exec-path',
  '--export-marks',
  '--extcmd',
  '--git-dir',
  '--no-index',
  '--open-files-in-pager',
  '--output',
  '--output-directory',
  '--receive-pack',
  '--strategy',
  '--template',
  '--upload-pack',
  '--work-tree',
]
/** Their short forms by subcommand. Git takes them joined with other options and with their value: `-nO./pager`. */
const shortGitOptions = Object.entries({
  archive: 'o',
  clone: 'cu',
  difftool: 'x',
  'format-patch': 'o',
  grep: 'O',
  rebase: 'x',
})

/** Subcommands that run what follows them. */
const runsCommands = new Map([
  ['run', 'bisect'],
  ['foreach', 'submodule'],
  ['filter-branch', 'filter-branch'],
  ['for-each-repo', 'for-each-repo'],
])

function isGitOption(text: string, args: readonly string[]): boolean {
  return (
    text === '-c' ||
    (runsCommands.has(text) && args.includes(runsCommands.get(text) ?? '')) ||
    beginsOption(text, gitOptions) ||
    (/^-[^-]/.test(text) &&
      shortGitOptions.some(
        ([subcommand, letters]) =>
          args.includes(subcommand) && [...letters].some((letter) => text.includes(letter)),
      ))
  )
}

/** Reports whether the text is a long option or a beginning of one, with or without its value. */
function beginsOption(text: string, options: readonly string[]): boolean {
  const name = text.split('=', 1)[0] ?? ''
  return name.length > 2 && name.startsWith('--') && options.some((one) => one.startsWith(name))
}

/** npm takes any beginning of an option, also after the subcommand. */
const packageManagerOptions = [
  '--cwd',
  '--dir',
  '--globalconfig',
  '--config.',
  '--node-options',
  '--pnpmfile',
  '--prefix',
  '--preload',
  '--registry',
  '--script-shell',
  '--shell',
  '--userconfig',
  '--viewer',
]
/** npm takes long options with one dash as well. */
const isPackageManagerOption = (text: string): boolean =>
  beginsOption(text.replace(/^-(?=\w{2})/, '--'), packageManagerOptions) ||
  text.startsWith('--config.') ||
  /^-[Ccr]/.test(text)

/** Variables of make (`SHELL=./x`), files that it reads, folders that it goes to, text that it evaluates. */
const makeOption = /^-[A-Za-z]*[fCIEoW]|^[\w.]+\s*[:+?!]*=/
/** make takes any beginning of one. */
const longMakeOptions = [
  '--eval',
  '--file',
  '--makefile',
  '--directory',
  '--include-dir',
  '--old-file',
  '--assume-old',
  '--assume-new',
  '--new-file',
  '--what-if',
]
const gradleOption =
  /^-[a-zA-Z]*[IbcpgPD]|^--(?:init-s|build-file|settings-file|project-|include-build|gradle-u|system-prop)/
/** A goal with a colon is a plugin's: `exec:exec`. */
const mavenOption = /^-[a-zA-Z]*[Dfstg]|^--(?:fi|set|global-|tool|def)|:/

/** By program. An option is one that matches. */
const options: Readonly<Record<string, (text: string, args: readonly string[]) => boolean>> = {
  uv: (text) => beginsOption(text, ['--with', '--python', '--directory', '--project', '--index']),
  pip: (text) => beginsOption(text, ['--python']),
  bundle: (text) => beginsOption(text, ['--gemfile']),
  composer: (text) => beginsOption(text, ['--working-dir']) || text.startsWith('-d'),
  poetry: (text) => beginsOption(text, ['--directory', '--project']) || text.startsWith('-C'),
  git: isGitOption,
  npm: isPackageManagerOption,
  pnpm: isPackageManagerOption,
  yarn: isPackageManagerOption,
  bun: isPackageManagerOption,
  make: (text) => makeOption.test(text) || beginsOption(text, longMakeOptions),
  just: (text) =>
    /^-[fdcE]|^--(?:justfile|working-directory|shell|command|set|dotenv|chooser)/.test(text),
  go: (text) =>
    /^--?(?:exec|toolexec|vettool|overlay|modfile|ldflags|gccgoflags|gcflags|asmflags|compiler|\w*profile|trace|outputdir|C|o)(?:=|$)/.test(
      text,
    ),
  cargo: (text) => /^\+|^-[CZ]|^--(?:config|manifest-path|target-dir|artifact-dir)/.test(text),
  gradle: (text) => gradleOption.test(text),
  './gradlew': (text) => gradleOption.test(text),
  mvn: (text) => mavenOption.test(text),
  './mvnw': (text) => mavenOption.test(text),
  dotnet: (text) =>
    /^@|^[-/]{1,2}(?:p|property|l|logger|dl|distributedlogger|t|target):|^--(?:settings|test-adapter-path|property|logger|output)|^-[sol]/.test(
      text,
    ),
}

/** What follows `--` is for the script or test that they run. */
const passesArguments = new Set(['npm', 'pnpm', 'yarn', 'bun', 'cargo'])

/**
 * Reports whether an argument of the program is such an option. `args`: all of its arguments that are certain, `text`
 * among them.
 */
export function isProgramOption(program: string, text: string, args: readonly string[]): boolean {
  const end = passesArguments.has(program) ? args.indexOf('--') : -1
  if (end >= 0 && args.indexOf(text) > end) return false
  return hasProgramOptions(program) && (options[program]?.(text, args) ?? false)
}

export const hasProgramOptions = (program: string): boolean => Object.hasOwn(options, program)
