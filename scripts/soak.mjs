// `npm run test:soak [factor]`: looks for crashes, bad disks and damage many times as long as `npm test`,
// each time with other seeds. They are printed; SHIPLOG_SEED=<seed> brings one back.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const factor = process.argv[2] ?? process.env.SHIPLOG_SOAK ?? '20'
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'node', 'tests/crash', 'tests/journal'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SHIPLOG_SOAK: factor } },
)
process.exitCode = status ?? 1
