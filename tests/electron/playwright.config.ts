import { defineConfig } from '@playwright/test'

// The built main and preload bundles under Playwright's `_electron`. The specs launch
// SHIPLOG_ELECTRON_EXECUTABLE (the real runtime, set by scripts/test-electron.mjs) or, without it,
// the stand-in kept beside them.
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/electron',
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  // The longer walks are in the soak, where all are run.
  ...(process.env.SHIPLOG_SOAK === undefined ? { grepInvert: /@soak/ } : {}),
  workers: 2,
  // On a busy machine everything takes many times as long, and a test that waits has not failed.
  timeout: 300_000,
  expect: { timeout: 60_000 },
})
