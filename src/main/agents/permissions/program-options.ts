/** Options with which a program runs, writes or reads what they name, so that no `*` of a rule covers them. */

/** In Git, at any place. It takes any beginning of a long option that is unique (`--receive=…`). */
const gitOptions = [
  '--config-env',
  '--exec',
  '--exec-path',
  '--export-marks',
  '--extcmd',
  '--no-index',
  '--open-files-in-pager',
  '--output',
  '--output-directory',
  '--receive-pack',
  '--strategy',
  '--template',
  '--upload-pack',
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

function isGitOption(text: string, args: readonly string[]): boolean {
  return (
    text === '-c' ||
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
  '--node-options',
  '--prefix',
  '--registry',
  '--script-shell',
  '--shell',
  '--userconfig',
]
const isPackageManagerOption = (text: string): boolean =>
  beginsOption(text, packageManagerOptions) || /^-C/.test(text)

/** Variables of make (`SHELL=./x`), files that it reads, folders that it goes to, text that it evaluates. */
const makeOption =
  /^-[A-Za-z]*[fCIEoW]|^--(?:ev|fi|makef|di|inc|old|wh|what|new|ass)|^[\w.]+\s*[:+?!]*=/
const gradleOption =
  /^-[IbcpgPD]|^--(?:init-script|build-file|settings-file|project-|include-build|gradle-user-home|system-prop)/
/** A goal with a colon is a plugin's: `exec:exec`. */
const mavenOption = /^-[Dfstg]|^--(?:file|settings|global-|toolchains|define)|:/

/** Tests and linters write reports where they are told, and pytest empties the folder of `--basetemp`. */
const reportOption =
  /^-{1,2}(?:o|out|output[\w-]*|junit[\w-]*|log-junit|basetemp|report-log|result-log|log-file|cache-(?:location|dir|file)|coverage[.-][\w-]*(?:dir|directory|html|clover|text|xml|php))(?:=|$)|^-o./i
const compilerOption =
  /^--?(?:out|outDir|outFile|declarationDir|tsBuildInfoFile|generateTrace|generateCpuProfile)$/i
const reporting = Object.fromEntries(
  'vitest jest mocha pytest eslint prettier biome ruff mypy rspec phpunit'
    .split(' ')
    .map((program) => [program, (text: string) => reportOption.test(text)]),
)

/** By program. An option is one that matches. */
const options: Readonly<Record<string, (text: string, args: readonly string[]) => boolean>> = {
  ...reporting,
  tsc: (text) => compilerOption.test(text),
  git: isGitOption,
  npm: isPackageManagerOption,
  pnpm: isPackageManagerOption,
  yarn: isPackageManagerOption,
  bun: isPackageManagerOption,
  make: (text) => makeOption.test(text),
  just: (text) =>
    /^-[fdcE]|^--(?:justfile|working-directory|shell|command|set|dotenv|chooser)/.test(text),
  go: (text) =>
    /^--?(?:exec|toolexec|vettool|overlay|modfile|ldflags|gccgoflags|compiler|C|o)(?:=|$)/.test(
      text,
    ),
  cargo: (text) => /^\+|^-[CZ]|^--(?:config|manifest-path|target-dir|artifact-dir)/.test(text),
  gradle: (text) => gradleOption.test(text),
  './gradlew': (text) => gradleOption.test(text),
  mvn: (text) => mavenOption.test(text),
  './mvnw': (text) => mavenOption.test(text),
  dotnet: (text) =>
    /^@|^[-/]{1,2}p(?:roperty)?:|^--(?:settings|test-adapter-path|property|logger|output)|^-[so]/.test(
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
  return options[program]?.(text, args) ?? false
}
