// `npm run test:mutants [ID …]`: puts one fault at a time into a copy of the sources, runs the tests that should
// notice it, and names the test that does. A mutant that no test notices has survived. `--list` prints the ids.
// The last line counts them; the exit code is 1 when fewer than nine in ten were killed, or one can't be applied.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutants } from '../tests/mutants/index.ts'
import { runInOwnGroup } from './process-group.mjs'

const killedShareMin = 0.9
const oneTimeoutMs = 10 * 60_000

const root = fileURLToPath(new URL('..', import.meta.url))
const names = process.argv.slice(2)
if (names.includes('--list')) {
  for (const { id, harm } of mutants) console.log(`${id}  ${harm}`)
  process.exit(0)
}
const chosen = mutants.filter(
  ({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)),
)
if (chosen.length === 0) {
  console.error(
    `No mutant is called ${names.join(', ')}. npm run test:mutants -- --list prints them.`,
  )
  process.exit(2)
}

const copy = mkdtempSync(join(tmpdir(), 'shiplog-mutants-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copySources()
/** Tests that pass without any mutant. */
const green = new Set()
const outcomes = []
for (const mutant of chosen) {
  const outcome = await attempt(mutant)
  outcomes.push(outcome)
  console.log(`${outcome.padEnd(8)} ${mutant.id}${detailOf(mutant)}`)
}
const killed = outcomes.filter((one) => one === 'killed').length
console.log(`${killed} passed, ${chosen.length - killed} failed`)
process.exitCode = killed / chosen.length < killedShareMin || outcomes.includes('unusable') ? 1 : 0

/** Everything that Git tracks or would track, and the packages by a link. */
function copySources() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  for (const path of stdout.split('\0').filter(Boolean)) {
    mkdirSync(join(copy, path, '..'), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
}

/** A test that fails by itself would kill every mutant. */
async function requireGreen(tests) {
  if (green.has(tests)) return
  const failing = await failingTest(tests)
  if (failing) {
    console.error(`This test fails without any mutant: ${failing}`)
    process.exit(1)
  }
  green.add(tests)
}

/** @param {import('../tests/mutants/mutant.ts').Mutant} mutant */
async function attempt(mutant) {
  const file = join(copy, mutant.file)
  const text = readFileSync(file, 'utf8')
  if (text.split(mutant.find).length !== 2) return 'unusable'
  const mutated = text.replace(mutant.find, () => mutant.replace)
  for (const tests of mutant.tests) {
    writeFileSync(file, mutated)
    const killedBy = await failingTest(tests)
    writeFileSync(file, text)
    if (!killedBy) continue
    await requireGreen(tests)
    mutant.killedBy = killedBy
    return 'killed'
  }
  return 'survived'
}

/** The name of the first test that fails; undefined when all pass. */
async function failingTest(tests) {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const quiet = ['--silent', '--reporter=json', `--outputFile.json=${report}`]
  const problem = await runInOwnGroup(
    process.execPath,
    [vitest, 'run', '--project', 'node', '--bail=1', ...quiet, tests],
    { cwd: copy, env: process.env, timeoutMs: oneTimeoutMs },
  )
  if (!problem) return undefined
  const failed = readReport(report).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.slice(copy.length + 1)}: ${fullName}`),
  )
  return failed[0] ?? `${tests}: ${problem}`
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults
  } catch {
    return [] // it ended before it could write its report
  }
}

function detailOf({ id, killedBy, file, find }) {
  if (killedBy) return `, by ${killedBy}`
  const outcome = outcomes.at(-1)
  return outcome === 'unusable'
    ? `: ${file} does not hold this text exactly once: ${JSON.stringify(find)}`
    : ''
}
