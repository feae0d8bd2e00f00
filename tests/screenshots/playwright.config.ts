import { defineConfig } from '@playwright/test'
import { chromiumLaunchOptions } from '../../scripts/chromium.mjs'

// Makes the pictures that the README and docs use: `npm run screenshots`. No test, and no part of
// `npm test`.
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/screenshots',
  workers: 1,
  // The demo is slow enough to watch.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    headless: true,
    launchOptions: chromiumLaunchOptions(),
    deviceScaleFactor: 1,
  },
})
