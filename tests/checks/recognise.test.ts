import { describe, expect, it } from 'vitest'
import { projectChecksOf } from '../../src/main/checks/project-checks.ts'
import { checksIn } from '../../src/main/checks/recognise.ts'

const scripts = new Map([
  ['test', 'vitest run'],
  ['lint', 'biome check'],
  ['verify', 'npm run lint && npm test'],
  ['start', 'node server.js'],
  ['ci', 'yarn verify'],
  ['loop', 'npm run loop'],
])
const kinds = (command: string) => checksIn({ command, exitCode: 0, output: '' }, scripts)
const run = (command: string, exitCode: number | null, output = '') =>
  checksIn({ command, exitCode, output }, scripts).map(({ kind, outcome }) => `${kind} ${outcome}`)

describe('commands that are checks', () => {
  it.each([
    ['npm test', 'tests'],
    ['npm t', 'tests'],
    ['npm test -- --run parser', 'tests'],
    ['npx --yes vitest run', 'tests'],
    ['./node_modules/.bin/vitest', 'tests'],
    ['pnpm exec jest --ci', 'tests'],
    ['CI=1 yarn lint', 'lint'],
    ['python3 -m pytest -q', 'tests'],
    ['python -X dev -m unittest', 'tests'],
    ['uv run ruff check .', 'lint'],
    ['poetry run mypy src', 'types'],
    ['go test ./...', 'tests'],
    ['go vet ./...', 'lint'],
    ['cargo +nightly clippy -- -D warnings', 'lint'],
    ['cargo build --release', 'build'],
    ['./gradlew :app:test', 'tests'],
    ['mvn -q verify', 'tests'],
    ['make -j4 test', 'tests'],
    ['make lint', 'lint'],
    ['node --test tests/', 'tests'],
    ['npx tsc -p . --noEmit', 'types'],
    ['timeout 60 npm run typecheck', 'types'],
    ['env A=b npx eslint .', 'lint'],
    ['npx playwright test', 'tests'],
    ['vite build', 'build'],
    ['bundle exec rspec', 'tests'],
    ['npx prettier --check .', 'lint'],
    ['(cd web && npm run build)', 'build'],
  ])('%s: %s', (command, kind) => {
    expect(kinds(command).map((one) => one.kind)).toEqual([kind])
  })

  it.each([
    'ls -la',
    'cat package.json',
    'npm install',
    'npm start',
    'npm run start',
    'git commit -m "npm test"',
    'echo "run npm test"',
    'grep -r vitest .',
    'npx prettier --write .',
    'node server.js',
    'make',
    'cargo new test',
    'npm run loop',
    'cypress open',
    'if [ -f x',
    '',
  ])('not %s', (command) => {
    expect(kinds(command)).toEqual([])
  })

  it('include a script of the package, by what it runs', () => {
    expect(kinds('npm run verify')).toMatchObject([{ covers: ['lint', 'tests'] }])
    expect(kinds('yarn ci')).toMatchObject([{ covers: ['lint', 'tests'] }])
  })

  it('include the text of a script', () => {
    const own = new Map([
      ['test', 'node test.js'],
      ['check', 'npm run lint && node more.js'],
      ['start', 'node'],
      ['check:types', './scripts/types.sh --all'],
    ])
    const found = (command: string) => checksIn({ command, exitCode: 0, output: '' }, own)
    expect(found('node test.js')).toMatchObject([{ kind: 'tests', outcome: 'passed' }])
    expect(found('node test.js --only parser; git add -A')).toMatchObject([
      { kind: 'tests', command: 'node test.js --only parser' },
    ])
    expect(found('./scripts/types.sh --all')).toMatchObject([{ kind: 'types' }])
    expect(found('node other.js')).toEqual([])
    // Only a part of what the script runs.
    expect(found('node more.js')).toEqual([])
  })

  it('include the project’s own program if it prints like a test runner', () => {
    const ran = { exitCode: 0, output: 'test result: ok. 4 passed; 0 failed' }
    expect(checksIn({ command: './check-all', ...ran }, scripts)).toMatchObject([
      { kind: 'tests', command: './check-all', outcome: 'passed' },
    ])
    expect(checksIn({ command: 'cat log', ...ran }, scripts)).toEqual([])
    expect(checksIn({ command: './check-all', exitCode: 0, output: 'hello' }, scripts)).toEqual([])
  })

  it('are named as they were written', () => {
    expect(kinds('cd web && CI=1 npm test -- -t "a b" 2>&1 | tail -5')).toMatchObject([
      { command: 'CI=1 npm test -- -t "a b" 2>&1' },
    ])
  })
})

describe('whether it passed', () => {
  it.each<[string, number | null, string, string[]]>([
    ['npm test', 0, '', ['tests passed']],
    ['npm test', 1, '', ['tests failed']],
    ['npm test', null, '', ['tests unclear']],
    ['cd web && npm test', 1, '', ['tests failed']],
    ['npm install && npm test', 1, '', ['tests unclear']],
    ['npm install && npm test', 0, '', ['tests passed']],
    ['npm run lint && npm test', 0, '', ['lint passed', 'tests passed']],
    ['npm run lint && npm test', 1, '', ['lint unclear', 'tests unclear']],
    ['npm test; echo done', 0, '', ['tests unclear']],
    ['npm test || true', 0, '', ['tests unclear']],
    ['npm test | tail -3', 0, '', ['tests unclear']],
    ['npm test | tail -3', 0, ' Tests  3 failed | 9 passed (12)', ['tests failed']],
    ['npm test | tail -3', 0, ' Tests  12 passed (12)', ['tests passed']],
    ['npm test; echo done', 0, '\u001b[31m1 failed\u001b[39m, 2 passed', ['tests failed']],
    ['npx tsc | head', 0, 'src/a.ts(1,2): error TS2304: no', ['types failed']],
    ['cargo test | tail', 0, 'test result: ok. 0 failed', ['tests passed']],
    ['mix test | tail', 0, 'Finished in 2 seconds\n410 tests, 0 failures', ['tests passed']],
    ['mix test | tail', 0, '5 tests, 4 failures', ['tests failed']],
    ['rake test | tail', 0, '9 tests, 21 assertions, 0 failures, 0 errors', ['tests passed']],
    ['mix dialyzer | tail', 0, 'Total errors: 0\ndone (passed successfully)', ['types passed']],
    ['mix dialyzer | tail', 0, 'Total errors: 2, Skipped: 0', ['types failed']],
    ['mix credo | tail', 0, '9 mods/funs, found no issues.', ['lint passed']],
    ['! npm test', 0, '', ['tests unclear']],
    ['npm test &', 0, '', ['tests unclear']],
    ['if npm test; then echo yes; fi', 0, '', ['tests unclear']],
  ])('%s with %s', (command, exitCode, output, expected) => {
    expect(run(command, exitCode, output)).toEqual(expected)
  })
})

describe('checks that a project could run', () => {
  it('are its package’s scripts, by its package manager', () => {
    const text = JSON.stringify({
      scripts: { ...Object.fromEntries(scripts), 'test:e2e': 'cypress run' },
    })
    const names = new Set(['package.json', 'pnpm-lock.yaml'])
    expect(projectChecksOf(names, new Map([['package.json', text]])).known).toEqual([
      { kind: 'tests', command: 'pnpm test' },
      { kind: 'lint', command: 'pnpm run lint' },
    ])
  })

  it('are none of a package that has no tests or can’t be read', () => {
    const none = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}'
    for (const text of [none, '{', '[]', '{"scripts":{"test":1}}'])
      expect(
        projectChecksOf(new Set(['package.json']), new Map([['package.json', text]])).known,
      ).toEqual([])
  })

  it('are those of its language or its Makefile', () => {
    const makefile = 'lint := no\nlint: src\n\truff .\nbuild:\n\tcc\n'
    expect(
      projectChecksOf(new Set(['go.mod', 'Makefile']), new Map([['Makefile', makefile]])).known,
    ).toEqual([
      { kind: 'tests', command: 'go test ./...' },
      { kind: 'lint', command: 'make lint' },
      { kind: 'build', command: 'make build' },
    ])
  })
})
