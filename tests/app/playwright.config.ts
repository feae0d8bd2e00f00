import { defineConfig } from '@playwright/test'
import { chromiumLaunchOptions } from '../../scripts/chromium.mjs'

const { args, ...chromium } = chromiumLaunchOptions()

// The app as built, served by the web host to a real Chromium. See scripts/test.mjs.
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/app',
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: true,
  // A test that passes only when tried again is broken.
  retries: 0,
  // The longer walks are in the soak, where all are run.
  ...(process.env.SHIPLOG_SOAK === undefined ? { grepInvert: /@soak/ } : {}),
  // Each worker is a Chromium, a host and the agents' Git processes.
  workers: 2,
  // On a busy machine everything takes many times as long, and a test that waits has not failed.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    headless: true,
    // A key that scrolls has scrolled when it is up: what is in view in the middle of that is nobody's claim.
    launchOptions: { ...chromium, args: [...args, '--disable-smooth-scrolling'] },
    viewport: { width: 1280, height: 800 },
    // A turning icon is drawn sixty times a second: a tenth of a core for as long as an agent works.
    contextOptions: { reducedMotion: 'reduce' },
    // Recording one costs half as much again as the tests: `--trace retain-on-failure` when one fails.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
