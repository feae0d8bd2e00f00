/** The programs that have a star, and the options that it covers. */
import { starredGit } from './git-commands.ts'
import {
  exceptCommands,
  noText,
  packageName,
  plainText,
  plainWord,
  wholeNumber,
} from './plain-texts.ts'
import { type Starred, starred, starredWithDash } from './starred.ts'

/** For commands of which a star covers nothing. */
export const nothing = starred('', noText)

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
const tests = (more = ''): Starred =>
  starred(`${testOptions} ${more}`, plainText, exceptCommands(plainText))
const scriptWord = exceptCommands(plainWord)
export const scripts = starred(testOptions, plainWord, scriptWord)
/** For a tool that a package manager runs. */
export const throughPackageManager = (tool: Starred): Starred =>
  tool === nothing
    ? nothing
    : { ...tool, joinsLetters: false, operands: scriptWord, values: plainWord }
const packages = starred(
  '--all --depth --dev --global --include --json --latest --link --long --omit --only --parseable --pattern --prod --production --workspace --workspaces -aglw',
  packageName,
)
const cargo = starred(
  `--all --all-features --all-targets --bench --benches --bin --bins --check --color --depth --doc
  --document-private-items --edges --exact --example --examples --exclude --features --format-version --frozen --ignored
  --include-ignored --invert --jobs --keep-going --lib --list --locked --message-format --no-capture --no-default-features
  --no-deps --no-fail-fast --no-run --nocapture --offline --package --profile --quiet --release --show-output --skip
  --test --test-threads --tests --verbose --workspace -ADFWhijpqrvs`,
)
const go = starredWithDash(
  `a all asmdecl bench benchmem benchtime buildvcs c count cover covermode coverpkg cpu deps e f failfast fullpath json list
  m n p parallel race run short shuffle skip src tags test timeout trimpath u v x`,
)
const docker = starred(
  '--all --details --digests --filter --follow --format --latest --no-color --no-log-prefix --no-stream --no-trunc --quiet --services --since --size --status --tail --timestamps --until -aflnqst',
)
const gh = starred(
  '--assignee --author --base --branch --comments --commit --draft --event --head --job --json --label --limit --log --log-failed --mention --milestone --name-only --patch --required --search --state --status --user --workflow -aAbBceHjLlmsSu',
)
const dotnet = starred(
  '--configuration --filter --framework --list-tests --nologo --no-build --no-dependencies --no-incremental --no-restore --self-contained --verbosity --verify-no-changes -cfv',
)
const gradle: Starred = {
  ...starred(
    '--build-cache --console --continue --debug --dry-run --exclude-task --info --no-build-cache --no-daemon --offline --parallel --quiet --rerun-tasks --stacktrace --tests --warning-mode -diqsSx',
    plainText,
    wholeNumber,
  ),
  // Another word would be a task.
  withValue: ['--exclude-task', '--tests', '-x'],
}
const maven = starred(
  '--also-make --batch-mode --debug --errors --fail-at-end --fail-fast --no-transfer-progress --offline --quiet -BeoqXU',
  plainText,
  wholeNumber,
)
const make = starred(
  '--always-make --dry-run --jobs --keep-going --no-print-directory --output-sync --quiet --silent --trace -BijkqnsO',
  plainText,
  wholeNumber,
)
const terraform = starredWithDash('check diff recursive no-color json')

/** By the words of the command without its options. */
export const table = new Map(starredGit)
const add = (commands: string, of: Starred): void => {
  for (const one of commands.split(/\s*,\s*/)) table.set(one, of)
}
add('vitest, jest, mocha, phpunit', tests())
add('eslint, prettier', tests('--cache --ignore-unknown --no-error-on-unmatched-pattern'))
add('mypy', tests('-p'))
add('rspec', { ...tests(), joined: 'f' })
add('ruff check, ruff format', tests('--output-format'))
add('pytest', { ...tests('-n'), joined: 'nr' })
add('tsc', tests('--project --build --incremental --target --lib -bp'))
// It also writes through links that lead out of the working directory.
add(
  'biome check, biome ci, biome format, biome lint',
  starred('--colors --max-diagnostics --reporter --verbose'),
)
// They write files, send their words to a registry that the repository names, or print a container's environment.
add('vitest init, mocha init, npm view, yarn info, docker top', nothing)
add('npm test, npm t, pnpm test, yarn test, bun test, rails test, composer test', scripts)
for (const manager of ['npm', 'pnpm', 'yarn'])
  add(`${manager} list, ${manager} ls, ${manager} why`, packages)
add('cargo build, cargo check, cargo test, cargo clippy, cargo fmt, cargo doc, cargo bench', cargo)
add('cargo tree, cargo metadata', cargo)
add('go build, go vet, go test, go fmt, go list, go doc, go version', go)
add('deno lint, deno fmt', starred('--check --compact --fix --json --quiet --watch -q'))
add('docker ps, docker images, docker logs, docker version, docker info, docker stats', docker)
// Not those of compose: its file may name another to be fetched, with values of the environment in the address.
add('docker port, docker container ls, docker image ls', docker)
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
export const builds = new Map([
  ['make', make],
  ['gradle', gradle],
  ['./gradlew', gradle],
  ['mvn', maven],
  ['./mvnw', maven],
])
