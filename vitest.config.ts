import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { chromiumLaunchOptions } from './scripts/chromium.mjs'

/** Files of half a minute and more. Begun last, one of them keeps a single worker busy while others idle. */
const longOnes = /tests\/(cli|crash|doctor)\/[^/]+\.test\.ts$|tests\/tasks\/resume\.test\.ts$/

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longOnes.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    // Stories need a Chromium of their own beside the tests' Git processes; two cores are the least
    // that a developer's machine or CI has.
    maxWorkers: 3,
    sequence: { sequencer: LongOnesFirst },
    projects: [
      {
        test: {
          name: 'node',
          include: ['tests/**/*.test.{ts,tsx}'],
          // Playwright's, run by scripts/test.mjs.
          exclude: ['tests/app/**', 'tests/electron/**', 'tests/screenshots/**'],
          environment: 'node',
          globalSetup: 'tests/templates-setup.ts',
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
