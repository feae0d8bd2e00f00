import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumLaunchOptions } from './scripts/chromium.mjs'

export default defineConfig({
  test: {
    // Stories need a Chromium of their own beside the tests' Git processes; two cores are the least
    // that a developer's machine or CI has.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'node',
          include: ['tests/**/*.test.{ts,tsx}'],
          // Playwright's, run by scripts/test.mjs.
          exclude: ['tests/app/**', 'tests/electron/**', 'tests/screenshots/**'],
          environment: 'node',
          // Real Git on a busy two-core machine: a commit may take a second.
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        plugins: [storybookTest({ configDir: 'storybook' })],
        test: {
          name: 'storybook',
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions: chromiumLaunchOptions() }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
