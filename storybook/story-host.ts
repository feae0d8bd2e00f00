/** The fake host as the stories have it: its clock stands still with theirs, and its projects are those of the fixtures. */
import type { Notice } from '../src/shared/contract/app.ts'
import type { ProjectSetup } from '../src/shared/contract/projects.ts'
import type { WorkspaceDiff } from '../src/shared/contract/workspace.ts'
import { createFakeHost, type FakeHost } from '../tests/fake-host/fake-host.ts'
import type { FakeHostOptions } from '../tests/fake-host/options.ts'
import { fixtureNowMs } from '../tests/fixtures/entries/tasks.ts'

export type StoryHost = FakeHost

interface StoryHostOptions extends Omit<FakeHostOptions, 'setup' | 'diff'> {
  /** What every project asks for. */
  setup?: ProjectSetup
  /** What every workspace changed. */
  diff?: WorkspaceDiff
  notices?: Notice[]
}

export function createStoryHost({ setup, diff, notices, ...options }: StoryHostOptions = {}) {
  return createFakeHost({
    dataDir: '/home/robin/.local/share/shiplog',
    nowMs: fixtureNowMs,
    ...options,
    ...(setup && { setup: () => setup }),
    ...(diff && { diff: () => diff }),
    ...(notices && { info: { notices } }),
    retention: { nowMs: fixtureNowMs, ...options.retention },
  })
}
