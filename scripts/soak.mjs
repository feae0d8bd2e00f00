// `npm run test:soak [NAME …]`: the crash tests of `npm test` with every case instead of one of each class, and
// the long tests that `npm test` leaves out (`tests/soak.ts`, `*.soak.test.ts`, walks tagged `@soak`), in
// shards of at most 20 minutes. Without a name all of them; `--list` prints the names. Random cases have
// a seed, printed first and last: SHIPLOG_SEED=<seed> brings a run back, SHIPLOG_SOAK=<factor> makes that
// many times as many of them as `npm test` has. Ends with a table of what was tried.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInOwnGroup } from './process-group.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Test files and into how many shards each is cut. */
const soaks = [
  { name: 'layers', file: 'tests/crash/layers.test.ts', shards: 2 },
  { name: 'services', file: 'tests/crash/services.test.ts', shards: 8 },
  { name: 'retention', file: 'tests/crash/retention.test.ts', shards: 1 },
  { name: 'applying', file: 'tests/crash/appl', shards: 2 },
  { name: 'file-tools', file: 'tests/agents/tools/swapped-folder.test.ts', shards: 1 },
  { name: 'undo', file: 'tests/workspaces/file-updates/undo-property.test.ts', shards: 1 },
  { name: 'trash', file: 'tests/workspaces/restore/rolling-forward.test.ts', shards: 1 },
  { name: 'index', file: 'tests/journal/stored-index', shards: 1 },
  { name: 'bad-disks', file: 'tests/crash/bad-disks.test.ts', shards: 2 },
  { name: 'damage', file: 'tests/crash/damage.test.ts', shards: 1 },
  { name: 'snapshot', file: 'tests/ledger/snapshot.test.ts', shards: 1 },
  { name: 'kills', file: 'tests/crash/kills.test.ts', shards: 4 },
  { name: 'resume', file: 'tests/crash/resume-kills.test.ts', shards: 1 },
  { name: 'commands', file: 'tests/cli/processes/resume-processes.soak.test.ts', shards: 1 },
  { name: 'hostile', file: 'tests/git/hostile/commands.test.ts', shards: 1 },
  { name: 'demo', file: 'tests/cli/processes/end-to-end.test.ts', shards: 1 },
  { name: 'bench', file: 'tests/bench/run.test.ts', shards: 1 },
  { name: 'models', file: 'tests/cli/agents/model-agents.test.ts', shards: 1 },
  { name: 'messages', file: 'tests/agents/model/messages.test.ts', shards: 1 },
  { name: 'no-files', file: 'tests/doctor/no-files.test.ts', shards: 1 },
  { name: 'pruning', file: 'tests/git/snapshots/pruning.test.ts', shards: 1 },
  { name: 'turn-store', file: 'tests/turn-store', shards: 1 },
  { name: 'removal', file: 'tests/workspaces/removal/concurrent-removal.test.ts', shards: 1 },
  { name: 'lifecycle', file: 'tests/tasks/lifecycle-property.test.ts', shards: 1 },
  { name: 'properties', file: 'tests/crash/properties.test.ts', shards: 1 },
].flatMap(({ name, file, shards }) =>
  Array.from({ length: shards }, (_, n) => ({
    name: shards > 1 ? `${name}-${n + 1}` : name,
    args: [bin('vitest/vitest.mjs'), 'run', file],
    files: [file],
    shard: `${n + 1}/${shards}`,
  })),
)
const playwright = (name, folder) => ({
  name,
  args: [
    ...[bin('@playwright/test/cli.js'), 'test', '--grep', '@soak'],
    ...['--config', join(folder, 'playwright.config.ts')],
  ],
})
soaks.push(
  ...longTests().map((files, n) => ({
    name: `long-${n + 1}`,
    args: [bin('vitest/vitest.mjs'), 'run', '--maxWorkers=2', ...files],
  })),
  {
    name: 'stories',
    args: [bin('vitest/vitest.mjs'), 'run', '--config', 'storybook/vitest.config.ts'],
  },
  playwright('app', 'tests/app'),
  playwright('desktop', 'tests/electron'),
)
const shardTimeoutMs = 20 * 60_000

const names = process.argv.slice(2)
if (names.includes('--list')) {
  console.log(soaks.map(({ name }) => name).join('\n'))
  process.exit(0)
}
const chosen = soaks.filter(
  ({ name }) =>
    names.length === 0 || names.some((one) => name === one || name.startsWith(`${one}-`)),
)
if (chosen.length === 0) {
  console.error(
    `No soak is called ${names.join(', ')}. npm run test:soak -- --list prints the names.`,
  )
  process.exit(2)
}

const factor = process.env.SHIPLOG_SOAK ?? '20'
const seed = process.env.SHIPLOG_SEED ?? String(Math.floor(Math.random() * 2 ** 31))

// The command line that is killed is the built one.
const build = fileURLToPath(new URL('build.mjs', import.meta.url))
const built = spawnSync(process.execPath, [build, '--if-needed'], { cwd: root, stdio: 'inherit' })
if (built.status !== 0) process.exit(1)

const scratch = mkdtempSync(join(tmpdir(), 'shiplog-soak-'))
const figuresFile = join(scratch, 'figures')
console.log(`factor ${factor}, seed ${seed}`)
const rows = []
for (const { name, args, shard } of chosen) {
  const startedAt = Date.now()
  const problem = await runInOwnGroup(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      SHIPLOG_SOAK: factor,
      SHIPLOG_SEED: seed,
      ...(shard === undefined ? {} : { SHIPLOG_SHARD: shard }),
      SHIPLOG_SOAK_FIGURES: figuresFile,
    },
    timeoutMs: shardTimeoutMs,
  })
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1)
  rows.push({ name, minutes, problem })
  console.log(`── ${name}: ${problem ?? 'passed'} (${minutes} min)`)
}
const totals = new Map()
for (const line of readLines(figuresFile)) {
  const { figure, count } = JSON.parse(line)
  totals.set(figure, (totals.get(figure) ?? 0) + count)
}
rmSync(scratch, { recursive: true, force: true })

console.log(`\nfactor ${factor}, seed ${seed}`)
for (const [figure, count] of totals) console.log(`${String(count).padStart(8)}  ${figure}`)
const failed = rows.filter(({ problem }) => problem)
for (const { name, problem } of failed)
  console.log(
    `FAILED  ${name}: ${problem}; the same again with SHIPLOG_SEED=${seed} npm run test:soak ${name}`,
  )
console.log(`${rows.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0

function readLines(file) {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
  } catch {
    return [] // no shard came as far as its figures
  }
}

function bin(path) {
  return join(root, 'node_modules', path)
}

/** The files with tests that only the soak runs, and that no other shard names, in two halves. */
function longTests() {
  const named = soaks.flatMap(({ files }) => files)
  const files = readdirSync(join(root, 'tests'), { recursive: true })
    .map((name) => `tests/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts') && !named.some((file) => name.startsWith(file)))
    .filter(
      (name) =>
        name.endsWith('.soak.test.ts') ||
        readFileSync(join(root, name), 'utf8').includes("/soak.ts'"),
    )
    .toSorted()
  return [0, 1].map((half) => files.filter((_, index) => index % 2 === half))
}
