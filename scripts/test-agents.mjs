// `npm run test:agents [NAME …]`: the installed agents that Shiplog knows, at the versions that it names, against
// the strict fake of their model services. They are installed into a cache folder (1.5 GB for all of them),
// SHIPLOG_TEST_AGENTS_DIR or node_modules/.cache/installed-agents, and stay there. Ends with a table for
// docs/AGENTS.md; "not run" stands for what could not be tried.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentPresetNames, agentPresets } from '../src/shared/agents/installed-agents.ts'
import { runInOwnGroup } from './process-group.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache =
  process.env.SHIPLOG_TEST_AGENTS_DIR ?? join(root, 'node_modules/.cache/installed-agents')
/** A busy machine starts one of them in half a minute. */
const timeoutMs = 60 * 60_000

const names = process.argv.slice(2)
const unknown = names.filter((name) => !agentPresetNames.includes(name))
if (unknown.length > 0) {
  console.error(
    `No agent is called ${unknown.join(', ')}. There are ${agentPresetNames.join(', ')}.`,
  )
  process.exit(2)
}
const chosen = names.length > 0 ? names : agentPresetNames
const notInstalled = chosen.filter((name) => !install(name))
const run = chosen.filter((name) => !notInstalled.includes(name))

const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
  cwd: root,
  stdio: 'inherit',
})
if (built.status !== 0) process.exit(1)

const scratch = mkdtempSync(join(tmpdir(), 'shiplog-agents-'))
const report = join(scratch, 'report.json')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const problem =
  run.length > 0 &&
  (await runInOwnGroup(
    process.execPath,
    [
      ...[vitest, 'run', 'tests/installed-agents', '--reporter=default', '--reporter=json'],
      `--outputFile.json=${report}`,
    ],
    {
      cwd: root,
      env: { ...process.env, SHIPLOG_TEST_AGENTS: cache, SHIPLOG_TEST_AGENTS_ONLY: run.join() },
      timeoutMs,
    },
  ))
const results = readResults()
rmSync(scratch, { recursive: true, force: true })
printTable()
if (problem) console.error(problem)
process.exitCode = problem || notInstalled.length > 0 ? 1 : 0

/** Installs the package of an agent at its version, unless it is present; returns false if that fails. */
function install(name) {
  const { name: packageName, version } = agentPresets[name].package
  const dir = join(cache, name)
  const manifest = join(dir, 'node_modules', packageName, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version)
    return true
  console.log(`Installing ${packageName} ${version} …`)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{"private":true}\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const args = ['install', '--no-audit', '--no-fund', '--silent', `${packageName}@${version}`]
  const { status } = spawnSync(npm, args, { cwd: dir, stdio: 'inherit' })
  if (status !== 0) console.error(`${packageName} ${version} can't be installed.`)
  return status === 0
}

/** Returns the outcome of each test, by agent and title. */
function readResults() {
  const found = new Map()
  if (run.length === 0) return found
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  for (const { ancestorTitles, title, status } of testResults.flatMap(
    (file) => file.assertionResults,
  )) {
    const [agent] = ancestorTitles
    found.set(agent, new Map(found.get(agent)).set(title, status))
  }
  return found
}

function printTable() {
  const titles = [...new Set([...results.values()].flatMap((tests) => [...tests.keys()]))]
  const words = { passed: 'yes', failed: 'FAILED' }
  console.log(`\n${new Date().toISOString().slice(0, 10)}, ${process.platform} ${process.arch}\n`)
  console.log(`| agent | version | ${titles.join(' | ')} |`)
  console.log(`|${'---|'.repeat(titles.length + 2)}`)
  for (const name of chosen) {
    const cells = titles.map((title) => words[results.get(name)?.get(title)] ?? 'not run')
    console.log(`| ${name} | ${agentPresets[name].package.version} | ${cells.join(' | ')} |`)
  }
}
