// The specs of tests/electron against the real Electron runtime. (`npm test` runs the same specs
// against the stand-in, everywhere.)
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findElectronRuntime, hasDisplay } from './electron-runtime.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const executable = findElectronRuntime()

if (!executable || !hasDisplay()) {
  const missing = executable
    ? 'no display to open a window on'
    : 'no Electron runtime (npx install-electron fetches it)'
  console.log(`tests/electron was NOT RUN against the real Electron: ${missing}.`)
} else {
  const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js')
  const config = join(root, 'tests', 'electron', 'playwright.config.ts')
  const run = spawnSync(
    process.execPath,
    [playwright, 'test', '--config', config, ...process.argv.slice(2)],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, SHIPLOG_ELECTRON_EXECUTABLE: executable },
    },
  )
  process.exitCode = run.status ?? 1
}
