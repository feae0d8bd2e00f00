/**
 * The commands for which a rule may end with a star (`git log *`), and the options and operands that the star covers.
 * Everything else is asked about: a list of the dangerous options instead would never be complete.
 */
import type { ShellWord } from './shell-words.ts'

export interface Starred {
  /** Long options, with their dashes. */
  names: ReadonlySet<string>
  /** Letters of short options. */
  letters: string
  /** What its operands may be; `null`: it may have none but numbers. */
  operands: RegExp | null
  /** What else an argument may mean; see `covered-arguments.ts`. */
  kind: 'git' | 'tests' | 'script' | 'other'
}

const anyText = /^/

/** `options`: long options as they are, letters of short options after one dash. */
function starred(
  options: string,
  operands: RegExp | null = anyText,
  kind: Starred['kind'] = 'other',
): Starred {
  const words = options.split(/\s+/).filter(Boolean)
  const letters = words.filter((one) => /^-[A-Za-z\d]+$/.test(one)).map((one) => one.slice(1))
  const names = words.filter((one) => one.startsWith('--'))
  return { names: new Set(names), letters: letters.join(''), operands, kind }
}

/** The same for a program that takes options with one dash or two. */
function starredWithDash(
  options: string,
  operands: RegExp | null = anyText,
  kind: Starred['kind'] = 'other',
): Starred {
  const names = options.split(/\s+/).flatMap((one) => [`-${one}`, `--${one}`])
  return { names: new Set(names), letters: '', operands, kind }
}

const nothing = starred('', /(?!)/)

const gitNames = `
  --abbrev --abbrev-commit --abbrev-ref --abort --after --all --amend --annotate --author --author-date-order --before
  --branch --branches --cached --cc --check --cherry --cherry-mark --cherry-pick --color --color-moved --color-words --column
  --combined-all-paths --contains --continue --count --cumulative --date --date-order --decorate --decorate-refs --delete
  --deleted --dense --dereference --detach --diff-algorithm --diff-filter --dirstat --dirty --dry-run --error-unmatch
  --exact-match --exclude-standard --ff --ff-only --find-copies --find-renames --first-parent --follow --force --fork-point
  --format --full-history --full-index --function-context --git-dir --graph --grep --hard --heads --histogram
  --ignore-all-space --ignore-blank-lines --ignore-case --ignore-missing --ignore-space-at-eol --ignore-space-change
  --ignored --include-untracked --independent --index --intent-to-add --invert-grep --is-ancestor --is-inside-work-tree
  --keep --keep-index --left-right --line-porcelain --list --log-size --long --mailmap --max-count --max-parents --merge
  --merge-base --merged --merges --message --min-parents --minimal --mixed --modified --move --name --name-only
  --name-status --no-abbrev --no-abbrev-commit --no-color --no-commit --no-decorate --no-edit --no-ff --no-merged
  --no-merges --no-notes --no-patch --no-prefix --no-renames --no-squash --no-stat --no-track --not --notes --numstat
  --octopus --oneline --only --orphan --others --ours --overlay --patch --patch-with-stat --patience --pickaxe-all
  --pickaxe-regex --points-at --porcelain --pretty --quiet --quit --raw --refresh --relative --remotes --remove-empty
  --reset-author --reverse --root --short --shortstat --show-current --show-name --show-number --show-prefix --show-pulls
  --show-stash --show-toplevel --signoff --simplify-by-decoration --since --skip --skip-worktree --soft --sort --source
  --sparse --squash --stage --staged --stat --summary --symbolic --symbolic-full-name --tag --tags --text --theirs --topo-order
  --track --unified --unmerged --untracked --untracked-files --until --update --verbose --verify --walk-reflogs
  --word-diff --word-diff-regex --worktree
`
/** `-O`, `-S` of blame and `-X` of ls-files name files; `-F` and `-t` of commit, tag and merge too; `-s` of merge a program. */
const gitHistory = '1234567890abBcCDEFGiILlmMnpPqrRsStuUvwWxXz'
const gitCommands = `
  add AfnNpuv
  blame bcCefklLMnpstw
  branch aBCdDfilmMqrtuv
  cat-file epst
  checkout bBdflpqt
  cherry-pick emnsx
  commit aCimopqsuvz
  describe -
  diff ${gitHistory}
  diff-tree ${gitHistory}
  log ${gitHistory}
  ls-files cdfikmorstuvz
  ls-tree drltz
  merge emnqv
  merge-base a
  mv fknv
  reset Nnpq
  restore pqSsW
  rev-list ${gitHistory}
  rev-parse q
  revert emns
  rm fnqr
  shortlog cenps
  show ${gitHistory}
  show-ref dhqs
  stash akmpqSu
  status bsuvz
  switch cCdfmqt
  tag adfilmn
`

/** No variable as in `make A=b`, and no file of arguments. */
const testOperand = /^(?!@|[\w.]+[:+?!]*=)/
/**
 * Of tests, linters, builds and what a project's script may run. None of them names a file to write or a program in any of
 * the usual ones: `-e` and `-p` are code to Node, `-n` is an option of Node to mocha, `-r` and `-c` name what is loaded,
 * `--json` names a file to vitest.
 */
const testOptions = `
  --all --allowOnly --bail --bdd --changed --changedSince --check --co --collect-only --color --colors --cov --coverage
  --deselect --describe --detectOpenHandles --diff --documentation --dot --doctest-modules --dry-run --durations --example --exit
  --exitfirst --expand --ext --extend-select --fail-fast --failed-first --failfast --ff --fgrep --filter --findRelatedTests
  --fix --fix-dry-run --forbid-only --force --forceExit --format --full-trace --grep --group --headed --headless --help
  --hideSkippedTests --ignore --ignore-missing-imports --ignore-pattern --invert --isolate
  --last-failed --lf --lib --line --list --list-different --listTests --log-level --logHeapUsage --max-warnings --maxfail
  --maxWorkers --message --minWorkers --mode --nocapture --new-first --nf --no-bail --no-color --no-colors --no-cov
  --no-coverage --no-fix --no-header --no-isolate --no-watch --noEmit --noStackTrace --notify --only --onlyChanged
  --onlyFailures --parallel --passWithNoTests --pretty --print-width --production --project --quiet
  --reporter --rerun-each --retries --retry --run --runInBand --runTestsByPath --seed --select --sequence --setup-show
  --shard --show-error-codes --showlocals --silent --single-quote --skip --skipLibCheck --slow --stop-on-failure
  --strict --strict-markers --tag --tap --tb --test-name-pattern --testdox --testNamePattern --testPathPattern
  --testPathPatterns --testTimeout --testsuite --timeout --todo --type-check --typecheck --unsafe-fixes --update
  --updateSnapshot --verbose --version --watch --watchAll --workers --workspace --write -bfghjklmqstuvwx
`
const tests = (more = ''): Starred => starred(`${testOptions} ${more}`, testOperand, 'tests')
const scripts = starred(testOptions, testOperand, 'script')
const packages = starred(
  '--all --depth --dev --global --include --json --latest --link --long --omit --only --parseable --pattern --prod --production --workspace --workspaces -aglw',
  // A name in a registry, rather than a repository or a folder.
  /^(?:@[\w.-]+\/)?[^:/]+$/,
)
const cargo = starred(
  `--all --all-features --all-targets --bench --benches --bin --bins --check --color --depth --doc
  --document-private-items --edges --exact --example --examples --exclude --features --format-version --frozen --ignored
  --include-ignored --invert --jobs --keep-going --lib --list --locked --message-format --no-capture --no-default-features
  --no-deps --no-fail-fast --no-run --nocapture --offline --package --profile --quiet --release --show-output --skip
  --test --test-threads --tests --verbose --workspace -ADFWhijpqrvs`,
  testOperand,
  'tests',
)
const go = starredWithDash(
  `a all asmdecl bench benchmem benchtime buildvcs c count cover covermode coverpkg cpu deps e f failfast fullpath json list
  m n p parallel race run short shuffle skip src tags test timeout trimpath u v x`,
  // A version is asked for at the address that the path begins with.
  /^(?!@|[\w.]+[:+?!]*=)[^@]*$/,
  'tests',
)
const docker = starred(
  '--all --details --digests --filter --follow --format --latest --no-color --no-log-prefix --no-stream --no-trunc --quiet --services --since --size --status --tail --timestamps --until -aflnqst',
)
const gh = starred(
  '--assignee --author --base --branch --comments --commit --draft --event --head --job --jq --json --label --limit --log --log-failed --mention --milestone --name-only --patch --required --search --state --status --template --user --workflow -aAbBceHjLlmqsStu',
  // A query of jq can print the environment.
  /^(?![\s\S]*\benv\b)/i,
)
const dotnet = starred(
  '--configuration --filter --framework --list-tests --nologo --no-build --no-dependencies --no-incremental --no-restore --self-contained --verbosity --verify-no-changes -cfv',
  testOperand,
  'tests',
)
const gradle = starred(
  '--build-cache --console --continue --debug --dry-run --info --no-build-cache --no-daemon --offline --parallel --quiet --rerun-tasks --stacktrace --tests --warning-mode -diqsS',
  null,
)
const maven = starred(
  '--also-make --batch-mode --debug --errors --fail-at-end --fail-fast --no-transfer-progress --offline --quiet -BeoqXU',
  null,
)
const make = starred(
  '--always-make --dry-run --jobs --keep-going --no-print-directory --output-sync --quiet --silent --trace -BijkqnsO',
  null,
)
const terraform = starredWithDash('check diff recursive no-color json')

const table = new Map<string, Starred>()
const add = (commands: string, of: Starred): void => {
  for (const one of commands.split(/\s*,\s*/)) table.set(one, of)
}
for (const line of gitCommands.trim().split('\n')) {
  const [name = '', letters = ''] = line.trim().split(' ')
  add(`git ${name}`, starred(`${gitNames} -${letters}`, anyText, 'git'))
}
add('vitest, jest, mocha, eslint, prettier, mypy, rspec, phpunit, ruff check, ruff format', tests())
add('pytest', tests('-n'))
add('tsc', tests('--project --build --incremental --target --lib -bp'))
// It also writes through links that lead out of the working directory.
add(
  'biome check, biome ci, biome format, biome lint',
  starred('--colors --max-diagnostics --reporter --verbose', testOperand, 'tests'),
)
// They write files, send their words to a registry that the repository names, or print a container's environment.
add('vitest init, mocha init, npm view, yarn info, docker top', nothing)
add('npm test, npm t, pnpm test, yarn test, bun test, rails test, composer test', scripts)
for (const manager of ['npm', 'pnpm', 'yarn'])
  add(`${manager} list, ${manager} ls, ${manager} outdated, ${manager} why`, packages)
add('cargo build, cargo check, cargo test, cargo clippy, cargo fmt, cargo doc, cargo bench', cargo)
add('cargo tree, cargo metadata', cargo)
add('go build, go vet, go test, go fmt, go list, go doc, go version', go)
add(
  'deno lint, deno fmt',
  starred('--check --compact --fix --json --quiet --watch -q', testOperand, 'tests'),
)
add('docker ps, docker images, docker logs, docker version, docker info, docker stats', docker)
add('docker port, docker compose logs, docker compose ps, docker container ls', docker)
add('docker image ls, docker-compose logs, docker-compose ps', docker)
add('gh issue list, gh issue view, gh pr checks, gh pr diff, gh pr list, gh pr status', gh)
add('gh pr view, gh run list, gh run view', gh)
add('dotnet build, dotnet test, dotnet format, dotnet restore', dotnet)
add(
  'poetry check, poetry show',
  starred('--all --latest --lock --no-ansi --outdated --quiet --tree -loqv'),
)
add(
  'pip list, pip show, pip freeze, pip check',
  starred(
    '--all --files --format --local --not-required --outdated --quiet --uptodate --user --verbose -loqv',
  ),
)
add(
  'bundle list, bundle show, bundle outdated',
  starred('--local --name-only --paths --strict --verbose'),
)
add('rails routes', starred('--controller --expanded --grep -cEg'))
add(
  'composer show, composer validate',
  starred('--direct --installed --latest --no-ansi --outdated --strict --tree -Dlotv'),
)
add('terraform fmt, terraform validate', terraform)

/** Programs of which each first argument is a task of the project's own build. */
const builds = new Map([
  ['make', make],
  ['gradle', gradle],
  ['./gradlew', gradle],
  ['mvn', maven],
  ['./mvnw', maven],
])
const usualScript =
  /^(?:build|check|ci|compile|coverage|e2e|fmt|format|lint|tests?|type-?check|types|unit|validate|verify)(?:[:.-]|$)/
/**
 * Programs of which a second argument is a script of the project. Without such a script, some run a program of that name,
 * so for them it has to be a usual name of a script.
 */
const runners = new Map([
  ['npm run', anyText],
  ['npm run-script', anyText],
  ['pnpm run', anyText],
  ['yarn run', usualScript],
  ['bun run', usualScript],
])

/** A command that may have a star after its first `length` words. */
interface StarredCommand {
  length: number
  covers: Starred
}

const wordAt = (words: readonly ShellWord[], at: number): string | null => {
  const word = words[at]
  return word?.kind === 'literal' && !word.value.startsWith('-') ? word.value : null
}

/** Returns null if only its exact arguments say what the command does. */
export function starredCommand(words: readonly ShellWord[]): StarredCommand | null {
  const [program, first, second] = [0, 1, 2].map((at) => wordAt(words, at))
  if (!program) return null
  const of = (length: number, covers: Starred | undefined): StarredCommand | null =>
    // A rule for the program alone does not cover it either.
    covers ? { length: covers === nothing ? 1 : length, covers } : null
  if (first && `${program} ${first}` === 'uv run') return inUv(words)
  const scriptNames = runners.get(`${program} ${first}`)
  if (first && second && scriptNames)
    // A path is a file that it runs, rather than a script of the project.
    return second.includes('/') || isInterpreter(second) || !scriptNames.test(second)
      ? null
      : of(3, scripts)
  return (
    of(3, table.get(`${program} ${first} ${second}`)) ??
    of(2, table.get(`${program} ${first}`)) ??
    (first && /^[\w.:-]+$/.test(first) ? of(2, builds.get(program)) : null) ??
    of(1, table.get(program))
  )
}

/** `uv run pytest` is covered like `pytest`. */
function inUv(words: readonly ShellWord[]): StarredCommand | null {
  const inner = starredCommand(words.slice(2))
  return inner && { ...inner, length: inner.length + 2 }
}

/** Programs that run their input or what their arguments say, or reach outside of the working directory. */
const interpreters =
  /^(?:(?:ba|da|z|fi|k)?sh|sudo|doas|su|ssh|eval|source|\.|exec|env|xargs|node|python[\d.]*|perl|ruby|php|deno|bun|tsx|ts-node|osascript|awk|sed|npx|bunx|uvx|pipx)$/
export const isInterpreter = (program: string): boolean => interpreters.test(program)
