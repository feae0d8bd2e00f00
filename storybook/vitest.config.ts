import { fileURLToPath } from 'node:url'
import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumLaunchOptions } from '../scripts/chromium.mjs'

// React as it is shipped: its development build takes a third more of a processor, for traces that nobody reads here.
process.env.NODE_ENV = 'production'

/** Every story is a test: it renders, and its play function passes. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [
    storybookTest({
      configDir: 'storybook',
      // Others of their kind are tested by `npm test`, these by scripts/soak.mjs.
      tags: process.env.SHIPLOG_SOAK === undefined ? { exclude: ['soak'] } : { include: ['soak'] },
    }),
  ],
  test: {
    name: 'storybook',
    // Each page takes many files: loading everything again for each costs more than a second.
    isolate: false,
    // Pages of one browser share the process that draws them: beside other suites, one of two had no frame for half a minute.
    maxWorkers: 1,
    // On a busy machine a story has waited half a minute for a frame, for reasons that are not known. scripts/test.mjs
    // names each story that needed this: one that needs it again has a fault of its own.
    retry: 1,
    // Other suites run beside the stories on two cores (scripts/test.mjs).
    testTimeout: 240_000,
    browser: {
      enabled: true,
      connectTimeout: 180_000,
      headless: true,
      provider: playwright({
        launchOptions: chromiumLaunchOptions(),
        // A turning icon is drawn sixty times a second, for as long as a story shows one.
        contextOptions: { reducedMotion: 'reduce' },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
