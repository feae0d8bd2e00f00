import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of ten seconds and more. Begun last, one of them keeps a single worker busy while others idle. */
const longOnes =
  /tests\/(bench|cli|crash|doctor|git\/hostile)\/[^/]+\.test\.ts$|tests\/tasks\/(resume|going-on|drift\/(drift|restore)|lifecycle-property|task-service)\.test\.ts$|tests\/workspaces\/(concurrent-removal|lost-git-file|moved-projects|restore|restore-sub-agents|rolling-forward)\.test\.ts$/

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longOnes.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** React components have to be compiled, and `vi.mock` replaces modules of Vite's loader only. */
const needVite = [
  'tests/components/**/*.test.{ts,tsx}',
  'tests/crash/damage.test.ts',
  'tests/journal/remove-by-path.test.ts',
  'tests/retention/{interleaving,trash-list}.test.ts',
  'tests/runs/file-changes.test.ts',
  'tests/tasks/lifecycle-property.test.ts',
]

const notHere = [
  // Playwright's, run by scripts/test.mjs.
  ...['tests/app/**', 'tests/electron/**', 'tests/screenshots/**'],
  // Run by scripts/test-agents.mjs.
  ...(process.env.SHIPLOG_TEST_AGENTS === undefined ? ['tests/installed-agents/**'] : []),
  // Run by scripts/soak.mjs, and for mutants.
  ...((process.env.SHIPLOG_SOAK ?? process.env.SHIPLOG_LONG_TESTS) === undefined
    ? ['tests/**/*.soak.test.ts']
    : []),
]

/**
 * Real Git beside all other suites on two cores: a commit may take seconds, and a test that waits has not failed. The
 * soak has many times as many cases, removes a million files after a test, and ends a shard that hangs by itself.
 */
const timeoutMs = process.env.SHIPLOG_SOAK === undefined ? 3 * 60_000 : 15 * 60_000

// The stories have a configuration of their own (storybook/vitest.config.ts): loading Storybook costs every
// start two seconds.
export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: 'tests/templates-setup.ts',
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // Two cores are the least that a developer's machine or CI has; a third test uses what two leave idle
    // while they wait for the disk and for Git.
    maxWorkers: 3,
    sequence: { sequencer: LongOnesFirst },
    // Starting Git copies the page tables of the process that starts it, so the time of most tests grows with
    // what their worker holds: a small young generation keeps that low. With 1 MB for it, collecting it so often
    // costs more than that saves.
    execArgv: ['--max-semi-space-size=4'],
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...notHere, ...needVite],
          // Node runs TypeScript itself. Vite's loader keeps each module's text and source map: half of a worker's memory.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      { extends: true, test: { name: 'vite', include: needVite, exclude: notHere } },
    ],
  },
})
