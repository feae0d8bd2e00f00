/** Agents that really ran in real repositories, and what drift says of them afterwards. */

import { join } from 'node:path'
import type { ArchiveReader } from '../../../src/main/archive/archive-reader.ts'
import { createGit, type Git } from '../../../src/main/git/index.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { createDrift } from '../../../src/main/tasks/drift/index.ts'
import { createStoresOf } from '../../../src/main/turn-store/places.ts'
import { createTurnStore, type TurnStore } from '../../../src/main/turn-store/turn-store.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../src/shared/projections/ledger/ledger-state.ts'
import { foldSessionState } from '../../../src/shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../../src/shared/projections/session/session-state.ts'
import type { DriftReport } from '../../../src/shared/records/drift.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { Workspace } from '../../../src/shared/records/projects/workspaces.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { allTasks, entriesOf, type Fixture, start, until } from '../../harness.ts'

type Running = Task & { workspace: Workspace }

/** As Shiplog has it; also what a repository's own configuration names is allowed: a test makes Git fail by it. */
export async function gitOf(fixture: Fixture): Promise<Git> {
  const storesOf = createStoresOf(await stateOf(fixture), layoutOf(fixture.dataDir))
  return createGit({ isAllowed: () => true, storesOf })
}

export async function turnStoreOf(fixture: Fixture): Promise<TurnStore> {
  return createTurnStore({
    ledger: { state: await stateOf(fixture) } as never,
    git: await gitOf(fixture),
    layout: layoutOf(fixture.dataDir),
    onProblem: () => undefined,
  })
}

/**
 * Starts a scenario, and stops it once the transcript of the agent called `of` (the root's) is as asked, and those
 * of `others` by their titles: agents that work side by side get there in any order.
 */
export async function interruptedAt(
  fixture: Fixture,
  scenario: string,
  {
    isolation = 'worktree',
    of,
    when = waits,
    others = {},
  }: {
    isolation?: 'worktree' | 'in-place'
    of?: string
    when?: (history: Entry[]) => boolean
    others?: Record<string, (history: Entry[]) => boolean>
  } = {},
): Promise<Running> {
  const taskId = await start(fixture, scenario, { isolation })
  await untilHistory(fixture, of ?? taskId, when)
  for (const [title, is] of Object.entries(others)) await untilHistory(fixture, title, is)
  await fixture.shiplog.client.tasks.stop({ taskId })
  return taskNow(fixture, taskId)
}

/** The turn before the last one is on disk, and so is what it changed. */
export const waits = (history: Entry[]): boolean =>
  history.some((entry) => entry.type === 'workspace-snapshot' && entry.turn !== null)

/** Heard from the session's own feed. */
async function untilHistory(
  fixture: Fixture,
  by: TaskId | string,
  is: (history: Entry[]) => boolean,
): Promise<void> {
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => (task.id === by || task.title === by) && task.status === 'spawned'),
  )
  const { id: taskId } = await taskNow(fixture, by)
  const abort = new AbortController()
  const feed = await fixture.shiplog.client.feed.session(
    { workspaceId: taskId },
    { signal: abort.signal },
  )
  try {
    for await (const _ of feed) if (is(await entriesOf(fixture.shiplog, taskId))) return
  } finally {
    abort.abort()
  }
}

export async function taskNow(fixture: Fixture, by: TaskId | string): Promise<Running> {
  const task = (await allTasks(fixture.shiplog)).find((one) => one.id === by || one.title === by)
  if (!task?.workspace) throw new Error(`no workspace of ${by}`)
  return { ...task, workspace: task.workspace }
}

export async function stateOf(fixture: Fixture): Promise<LedgerState> {
  const state = emptyLedgerState(fixture.dataDir)
  state.projects.set(fixture.project.id, fixture.project)
  for (const task of await allTasks(fixture.shiplog)) state.tasks.set(task.id, task)
  return state
}

export const recordsOf = (fixture: Fixture): Pick<ArchiveReader, 'sessionState'> => ({
  sessionState: async (taskId) => pastIn(await entriesOf(fixture.shiplog, taskId)),
})

export const pastIn = (history: Entry[]): SessionState =>
  history.reduce(foldSessionState, emptySessionState())

/** What looking for drift and restoring a folder need, as the fixture has it. */
export async function driftDependencies(fixture: Fixture) {
  const { dataDir } = fixture
  return {
    state: await stateOf(fixture),
    git: await gitOf(fixture),
    turnStore: await turnStoreOf(fixture),
    records: recordsOf(fixture),
    workingDirs: {
      // worktrees/<project>/<workspace>
      worktreeRoot: ({ path }: Workspace) =>
        join(
          dataDir,
          ...path
            .slice(dataDir.length + 1)
            .split('/')
            .slice(0, 3),
        ),
    },
  }
}

/** `edit`: makes another history of the real one, such as that of a crash. */
export async function driftOf(
  fixture: Fixture,
  task: Task,
  edit: (history: Entry[]) => Entry[] = (history) => history,
): Promise<DriftReport> {
  const find = createDrift(await driftDependencies(fixture))
  const found = await find(task, pastIn(edit(await entriesOf(fixture.shiplog, task.id))))
  // Tests of what changed, and by whom, need no ids of contents.
  return { ...found, conflicts: found.conflicts.map(({ blobs: _, ...conflict }) => conflict) }
}

/** As a crash leaves it: the run never came to look at what it left. */
export const withoutEnd = (history: Entry[]): Entry[] => {
  const last = history.findLastIndex((entry) => entry.type === 'workspace-snapshot')
  return history.toSpliced(last, 1)
}
