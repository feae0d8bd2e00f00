// Everything `npm test` does once packages and a Chromium are there: types, lint, build, then every
// suite of tests. The last line is the sum, `N passed, N failed`, with skipped tests named apart.
//
// Steps that leave a core idle run side by side: a compiler has one thread, and a browser's tests wait for
// pages and processes about half of their time.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { runInOwnGroup } from './process-group.mjs'
import { makeScratchDirectory } from './scratch-directory.mjs'
import { unitTests } from './unit-tests.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (path) => join(root, 'node_modules', path)
const scratch = makeScratchDirectory()
const reports = join(scratch, 'reports')
mkdirSync(join(reports, 'printed'), { recursive: true })
// An interruption ends this process as well.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
/** All of it takes minutes on two cores, on a busy machine several times that: a step that still runs then hangs. */
const stepTimeoutMs = 40 * 60_000

/** Omits folders that do not exist, such as those that npm adds: each start of a program searches all of them. */
const path = [...new Set((process.env.PATH ?? '').split(delimiter))].filter(existsSync)

/** Hundreds of processes start with the same files: compiled once, each takes a third less time to start. */
const compileCache = join(scratch, 'compile-cache')

const tsc = bin('typescript/bin/tsc')
/** Run before the tests, several of which need the build. */
const checks = [
  { name: 'types of tests and configuration', args: [tsc, '-p', '.'] },
  { name: 'build', args: ['scripts/build.mjs', '--if-needed'] },
  { name: 'lint', args: [bin('@biomejs/biome/bin/biome'), 'check'] },
  { name: 'types of the main side', args: [tsc, '-p', 'src/main'] },
  { name: 'types of the renderer', args: [tsc, '-p', 'src/renderer'] },
]
/**
 * Files that replace a module get a process each: another file may have loaded the original one. So do those that run as
 * another user: what an earlier file left open is still the first user's.
 */
const needsOwnProcess = (file) =>
  /vi\.mock\(|seteuid|unprivileged\.ts/.test(readFileSync(join(root, file), 'utf8'))
const kindOf = (file) => {
  if (needsOwnProcess(file)) return 'apart'
  return unitTests.some((path) => file.startsWith(path)) ? 'unit' : 'service'
}
const [apart = [], unit = [], service = []] = ['apart', 'unit', 'service'].map((kind) =>
  testFiles().filter((file) => kindOf(file) === kind),
)
/** How many parts the service tests are cut into, so that a process runs about ten files before it has grown too large. */
const parts = 6
/** The longest steps first, and small ones at the end, so that the lanes end at about the same time. */
const tests = [
  partOf(1),
  vitest('stories', 'storybook/vitest.config.ts', {
    hasTests: hasFiles('src/renderer', /\.stories\.tsx$/),
  }),
  playwright('the app in a browser', 'tests/app'),
  partOf(2),
  vitest('unit tests', 'vitest.config.ts', {
    hasTests: unit.length > 0,
    more: ['--no-isolate', '--maxWorkers=2', ...unit],
  }),
  playwright('the desktop shell on the stand-in', 'tests/electron'),
  partOf(3),
  partOf(4),
  partOf(5),
  partOf(6),
  vitest('tests with a process each', 'vitest.config.ts', {
    hasTests: apart.length > 0,
    more: ['--maxWorkers=2', ...apart],
  }),
]
/** More lanes on two cores cost more CPU time than they save, because of caches and page tables. */
const lanesOfTests = 3

/** Neighbours in a folder take about the same time, so they are distributed over the parts. */
function partOf(part) {
  const files = service.filter((_, index) => index % parts === part - 1)
  return vitest(`service tests, part ${part}`, 'vitest.config.ts', {
    hasTests: files.length > 0,
    more: ['--no-isolate', '--maxWorkers=2', ...files],
  })
}

const total = { passed: 0, failed: 0, skipped: 0 }
const failures = []
/** Tests that failed, and passed when they were run again. */
const unsteady = []

await runLanes(checks, 2, runCheck)
await runLanes(
  tests.filter((suite) => suite.hasTests),
  lanesOfTests,
  runSuite,
)

console.log('')
if (unsteady.length > 0)
  console.log(`UNSTEADY  failed, and passed when run again: find out why\n${unsteady.join('\n')}`)
for (const failure of failures) console.log(failure)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = total.failed > 0 ? 1 : 0

function addFailure(name, problem, count) {
  total.failed += count
  failures.push(`FAILED  ${name}: ${problem}`)
}

/** Runs the steps in that many lanes; each takes the next step that nobody has begun. */
async function runLanes(steps, lanes, runStep) {
  const waiting = [...steps]
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let step = waiting.shift(); step; step = waiting.shift()) await runStep(step, lane === 0)
    }),
  )
}

async function runCheck(check, isFirstLane) {
  const { problem } = await run(check, isFirstLane)
  if (problem) addFailure(check.name, problem, 1)
}

async function runSuite(suite, isFirstLane) {
  const { problem } = await run(suite, isFirstLane)
  const counts = readCounts(suite)
  total.passed += counts.passed
  total.skipped += counts.skipped
  if (counts.passed > 0)
    unsteady.push(...(suite.unsteadyIn?.(readReport(suite)) ?? []).map(inBrief))
  if (counts.failed > 0) {
    addFailure(suite.name, `${counts.failed} failed`, counts.failed)
    failures.push(...suite.failedIn(readReport(suite)).slice(0, 10).map(inBrief))
  }
  // A crash, an error outside of any test, or nothing that ran must not pass for success.
  else if (problem) addFailure(suite.name, problem, 1)
  else if (counts.passed === 0) addFailure(suite.name, 'ran no test', 1)
}

/** Shows the output of the first lane as it arrives, and that of the others when they have ended. */
async function run({ name, args, env }, isFirstLane) {
  console.log(`\n── ${name}: started`)
  const startedAt = Date.now()
  const printed = join(reports, 'printed', name)
  const output = isFirstLane ? undefined : openSync(printed, 'w')
  const problem = await runInOwnGroup(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      PATH: path.join(delimiter),
      TMPDIR: scratch,
      NODE_COMPILE_CACHE: compileCache,
    },
    timeoutMs: stepTimeoutMs,
    output,
  })
  if (output !== undefined) {
    closeSync(output)
    const text = readFileSync(printed, 'utf8')
    if (text) console.log(`\n── ${name}\n${text.trimEnd()}`)
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`── ${name}: ${problem ?? 'done'} (${seconds} s)`)
  return { problem }
}

function vitest(name, config, { hasTests, more = [] }) {
  const report = join(reports, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return {
    name,
    hasTests,
    args: [bin('vitest/vitest.mjs'), 'run', '--config', config, ...reporters, ...more],
    report,
    countsIn: (read) => ({
      passed: read.numPassedTests,
      failed: read.numFailedTests,
      skipped: read.numPendingTests + read.numTodoTests,
    }),
    failedIn: (read) =>
      read.testResults.flatMap((file) => {
        const name = relative(root, file.name)
        const failed = file.assertionResults.filter((test) => test.status === 'failed')
        if (failed.length === 0 && file.status === 'failed')
          return [{ title: name, message: file.message }]
        return failed.map((test) => failureOf(name, test))
      }),
    unsteadyIn: (read) =>
      read.testResults.flatMap((file) =>
        file.assertionResults
          .filter(
            ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
          )
          .map((test) => failureOf(relative(root, file.name), test)),
      ),
  }
}

function failureOf(file, { fullName, failureMessages }) {
  return { title: `${file} › ${fullName}`, message: failureMessages.join('\n') }
}

function playwright(name, folder) {
  const report = join(reports, `${folder.replaceAll('/', '-')}.json`)
  const config = join(folder, 'playwright.config.ts')
  return {
    name,
    hasTests: hasFiles(folder, /\.spec\.ts$/),
    args: [bin('@playwright/test/cli.js'), 'test', '--config', config, '--reporter=list,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    report,
    countsIn: (read) => ({
      passed: read.stats.expected,
      failed: read.stats.unexpected + read.stats.flaky,
      skipped: read.stats.skipped,
    }),
    failedIn: (read) =>
      read.suites
        .flatMap(specsOf)
        .filter((spec) => !spec.ok)
        .map((spec) => ({
          title: `${spec.file}:${spec.line} › ${spec.title}`,
          message: spec.tests
            .flatMap((test) => test.results)
            .flatMap((result) => result.errors)
            .map((error) => error.message)
            .join('\n'),
        })),
  }
}

function readCounts({ report, countsIn }) {
  try {
    return countsIn(JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    return { passed: 0, failed: 0, skipped: 0 } // it died before it could write its report
  }
}

function readReport({ report }) {
  return JSON.parse(readFileSync(report, 'utf8'))
}

function specsOf(suite) {
  return [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]
}

/** Some CI systems keep only the end of the output, so each failure is listed there with its name and a few lines. */
function inBrief({ title, message }) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('/node_modules/'))
    .slice(0, 6)
    .map((line) => `      ${line.slice(0, 160)}`)
  return [`  ${title}`, ...lines].join('\n')
}

/** Returns the paths of the files that Vitest runs, relative to the repository. */
function testFiles() {
  return (
    readdirSync(join(root, 'tests'), { recursive: true })
      .map((name) => `tests/${name.replaceAll('\\', '/')}`)
      .filter((name) => /(?<!\.soak)\.test\.tsx?$/.test(name))
      // Opt-in: scripts/test-agents.mjs.
      .filter((name) => !name.startsWith('tests/installed-agents/'))
      .toSorted()
  )
}

function hasFiles(folder, pattern) {
  try {
    return readdirSync(join(root, folder), { recursive: true }).some((name) => pattern.test(name))
  } catch {
    return false
  }
}
