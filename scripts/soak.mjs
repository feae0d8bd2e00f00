// `npm run test:soak [factor]`: looks for crashes, bad disks and damage many times as long as `npm test`,
// each time with another seed. It is printed first and last; SHIPLOG_SEED=<seed> brings a run back.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runInOwnGroup } from './process-group.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const factor = process.argv[2] ?? process.env.SHIPLOG_SOAK ?? '20'
const seed = process.env.SHIPLOG_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
/** A test looks for less than half a minute at factor 1; all of it takes some two and a half minutes. */
const timeoutMs = (5 + 6 * Number(factor)) * 60_000

// The command line that is killed is the built one.
const build = fileURLToPath(new URL('build.mjs', import.meta.url))
const built = spawnSync(process.execPath, [build, '--if-needed'], { cwd: root, stdio: 'inherit' })
if (built.status !== 0) process.exit(1)

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const told = `factor ${factor}, seed ${seed}`
console.log(told)
const problem = await runInOwnGroup(
  process.execPath,
  [vitest, 'run', '--project', 'node', 'tests/crash', 'tests/journal', 'tests/workspaces'],
  { cwd: root, env: { ...process.env, SHIPLOG_SOAK: factor, SHIPLOG_SEED: seed }, timeoutMs },
)
console.log(problem ? `${problem}; ${told}: the same again with SHIPLOG_SEED=${seed}` : told)
process.exitCode = problem ? 1 : 0
