/** Classifies programs by what they check: tests, types, style, builds. Pure. */
import type { CheckKind } from '../../shared/contract/changes/checks.ts'

/** Returns the kind of check of a command without starters (`npx`, `uv run`); null if it checks nothing. */
export function kindOfProgram([name = '', ...rest]: readonly string[]): CheckKind | null {
  const program = baseName(name)
  const sub = rest.find((word) => !word.startsWith('-') && !word.startsWith('+')) ?? ''
  const known = programs[program]
  if (typeof known === 'string') return known
  if (known === undefined) return null
  return known(sub, rest)
}

/**
 * Returns the words of a command without the starters before the program: variables, `npx`, `uv run`,
 * `python -m`, `timeout 60`.
 */
export function withoutStarters(words: readonly string[]): readonly string[] {
  let left = words
  for (let i = 0; i < startersMax; i++) {
    const [name = '', ...rest] = left
    const starter = starters[baseName(name)]
    if (!starter) return left
    const taken = starter(rest)
    if (taken === null) return left
    left = rest.slice(taken)
  }
  return left
}

/** Returns the package script that a command runs (`npm run lint` → `lint`); null if it runs none. */
export function scriptOf([name = '', ...rest]: readonly string[]): string | null {
  const program = baseName(name)
  if (!packageManagers.has(program)) return null
  const words = rest.filter((word) => !word.startsWith('-'))
  const [first, second] = words
  if (first === 'run' || first === 'run-script') return second ?? null
  if (first === 't' || first === 'tst') return 'test'
  if (first === 'test') return program === 'bun' ? null : 'test'
  // yarn and pnpm run a script by its name alone.
  return program === 'npm' || program === 'bun' || first === undefined ? null : first
}

/** Classifies a script by its name; null if the name shows nothing. */
export function kindOfScriptName(name: string): CheckKind | null {
  const part = (words: string) => new RegExp(`(?:^|[:._-])(?:${words})(?:$|[:._-])`).test(name)
  if (part('types?|typecheck|type-check|tsc')) return 'types'
  if (part('lint|eslint|style|format|fmt|prettier')) return 'lint'
  if (part('tests?|spec|specs|unit|e2e|integration|coverage')) return 'tests'
  if (part('build|compile|bundle')) return 'build'
  return null
}

type Known = CheckKind | ((sub: string, words: readonly string[]) => CheckKind | null)

const bySub =
  (kinds: Record<string, CheckKind>): Known =>
  (sub) =>
    kinds[sub] ?? null
const withFlag =
  (kind: CheckKind, ...flags: string[]): Known =>
  (_, words) =>
    words.some((word) => flags.includes(word)) ? kind : null
const targets: Known = (_, words) => {
  const target = words.find((word) => !word.startsWith('-') && !word.includes('='))
  return target === undefined ? null : target === 'check' ? 'tests' : kindOfScriptName(target)
}
const gradle: Known = (_, words) => {
  for (const word of words) {
    const task = word.split(':').at(-1) ?? ''
    if (/^(?:test|check|.*Test)$/.test(task)) return 'tests'
    if (/^(?:lint|ktlintCheck|detekt|spotlessCheck)/.test(task)) return 'lint'
    if (/^(?:build|assemble|compile)/.test(task)) return 'build'
  }
  return null
}
const maven: Known = (_, words) =>
  words.some((word) => /^(?:test|verify|install)$/.test(word))
    ? 'tests'
    : words.some((word) => /^(?:compile|package)$/.test(word))
      ? 'build'
      : null

const programs: Record<string, Known | undefined> = {
  vitest: 'tests',
  jest: 'tests',
  mocha: 'tests',
  ava: 'tests',
  tap: 'tests',
  cypress: bySub({ run: 'tests' }),
  playwright: bySub({ test: 'tests' }),
  pytest: 'tests',
  'py.test': 'tests',
  tox: 'tests',
  nox: 'tests',
  unittest: 'tests',
  rspec: 'tests',
  phpunit: 'tests',
  pest: 'tests',
  ctest: 'tests',
  bats: 'tests',
  behave: 'tests',
  node: withFlag('tests', '--test'),
  bun: bySub({ test: 'tests', build: 'build' }),
  deno: bySub({ test: 'tests', check: 'types', lint: 'lint', fmt: 'lint' }),
  go: bySub({ test: 'tests', vet: 'lint', build: 'build' }),
  cargo: bySub({ test: 'tests', nextest: 'tests', check: 'types', clippy: 'lint', build: 'build' }),
  dotnet: bySub({ test: 'tests', build: 'build', format: 'lint' }),
  swift: bySub({ test: 'tests', build: 'build' }),
  mix: bySub({ test: 'tests', compile: 'build', credo: 'lint', dialyzer: 'types' }),
  rake: bySub({ test: 'tests', spec: 'tests' }),
  rails: bySub({ test: 'tests' }),
  sbt: bySub({ test: 'tests', compile: 'build' }),
  lein: bySub({ test: 'tests' }),
  bazel: bySub({ test: 'tests', build: 'build' }),
  mvn: maven,
  mvnw: maven,
  gradle,
  gradlew: gradle,
  make: targets,
  just: targets,
  task: targets,
  tsc: 'types',
  'vue-tsc': 'types',
  mypy: 'types',
  pyright: 'types',
  ty: bySub({ check: 'types' }),
  flow: bySub({ check: 'types' }),
  eslint: 'lint',
  oxlint: 'lint',
  biome: bySub({ check: 'lint', lint: 'lint', ci: 'lint', format: 'lint' }),
  prettier: withFlag('lint', '--check', '-c', '--list-different', '-l'),
  stylelint: 'lint',
  ruff: bySub({ check: 'lint', format: 'lint' }),
  flake8: 'lint',
  pylint: 'lint',
  black: withFlag('lint', '--check'),
  rubocop: 'lint',
  'golangci-lint': bySub({ run: 'lint' }),
  gofmt: withFlag('lint', '-l', '-d'),
  shellcheck: 'lint',
  hadolint: 'lint',
  clippy: 'lint',
  rustfmt: withFlag('lint', '--check'),
  swiftlint: 'lint',
  ktlint: 'lint',
  vite: bySub({ build: 'build' }),
  webpack: 'build',
  rollup: 'build',
  next: bySub({ build: 'build', lint: 'lint' }),
  cmake: withFlag('build', '--build'),
  ninja: 'build',
}

const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun'])

/** Returns how many words after its name belong to the starter; null if it starts no program. */
type Starter = (rest: readonly string[]) => number | null

const options = (rest: readonly string[]): number => {
  const first = rest.findIndex((word) => !word.startsWith('-'))
  return first < 0 ? rest.length : first
}
const after =
  (...subs: string[]): Starter =>
  (rest) =>
    subs.includes(rest[0] ?? '') ? 1 + options(rest.slice(1)) : null
const module: Starter = (rest) => {
  const at = rest.indexOf('-m')
  return at < 0 ? null : at + 1
}

const starters: Record<string, Starter | undefined> = {
  npx: options,
  bunx: options,
  pnpx: options,
  npm: after('exec', 'x'),
  pnpm: after('exec', 'dlx'),
  yarn: after('exec', 'dlx'),
  uv: after('run'),
  uvx: options,
  poetry: after('run'),
  pipenv: after('run'),
  hatch: after('run'),
  bundle: after('exec'),
  python: module,
  python3: module,
  py: module,
  env: (rest) => rest.findIndex((word) => !word.includes('=') && !word.startsWith('-')),
  timeout: (rest) => options(rest) + 1,
  time: options,
  nice: options,
  xvfb: options,
  'xvfb-run': options,
  command: options,
  exec: options,
  'cross-env': (rest) => rest.findIndex((word) => !word.includes('=')),
}
/** Deeper than they are nested in practice. */
const startersMax = 6

const baseName = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .replace(/\.(?:cmd|exe)$/, '')
