import { expect, it } from 'vitest'
import { createResumeService } from '../../../src/main/tasks/resume/resume-service.ts'
import type { RunRequest } from '../../../src/main/tasks/running/run-request.ts'
import { emptySessionState } from '../../../src/shared/projections/session/session-state.ts'
import type { DriftReport } from '../../../src/shared/records/drift.ts'
import { newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import { noDrift } from '../../fixtures/no-drift.ts'

const interrupted = (id: TaskId, title: string) => ({
  id,
  title,
  parentId: null,
  rootId: id,
  agent: 'lead',
  status: 'interrupted',
  depth: 0,
  runs: [],
  workspace: null,
})

/** Two interrupted agents of one title; `changes` is what the first one finds changed when its turn comes. */
async function resumeFirst(by: 'the other' | 'one that is resumed too'): Promise<string[]> {
  const [first, other] = [newTaskId(), newTaskId()]
  const tasks = new Map([first, other].map((id) => [id, interrupted(id, 'Add tests')]))
  const conflict: DriftReport['conflicts'][number] = {
    path: 'a.txt',
    oldPath: null,
    change: 'modified',
    changedBy: { kind: 'agent', taskId: other, name: 'Add tests' },
  }
  let looks = 0
  const service = createResumeService({
    ledger: { state: { tasks }, record: async () => undefined },
    taskLedger: { get: (id: TaskId) => tasks.get(id), children: () => [] },
    runs: { ended: () => new Promise(() => {}) },
    isReserved: () => false,
    layout: { sessionDir: () => '/nowhere' },
    workspaces: { workingDirs: { setUp: async () => {} } },
    runner: {
      flushDeferred: async () => {},
      begin: (_: TaskId, { prepare }: RunRequest) => {
        void prepare?.(new AbortController().signal).catch(() => undefined)
      },
    },
    pastOf: async () => emptySessionState(),
    checkLineage: async () => ({ damage: [] }),
    // Shown first without it: the other agent changes the file while this one waits for its turn.
    driftOf: async ({ id }: { id: TaskId }) => ({
      ...noDrift(id),
      conflicts: id === first && looks++ > 0 ? [conflict] : [],
    }),
    obstacleOf: async () => null,
    restoreWorkingDir: async () => ({ restored: [] }),
  } as unknown as Parameters<typeof createResumeService>[0])
  const selector =
    by === 'the other'
      ? ({ by: 'task', taskId: first } as const)
      : ({ by: 'all', projectDir: undefined } as const)
  const { refused } = await service.resume({ selector, force: false, choices: {} })
  return refused.map(({ message }) => message)
}

it('[S2] counts conflicts with an agent that is not resumed, even if a resumed one has the same title', async () => {
  expect(await resumeFirst('the other')).toMatchObject([
    expect.stringContaining('while it waited for its turn'),
  ])
  expect(await resumeFirst('one that is resumed too')).toEqual([])
})
