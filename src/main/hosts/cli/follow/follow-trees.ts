/**
 * Follows trees of agents until what was begun in them is over: none of its agents runs or waits for its
 * turn any more, and finished sub-agents' workspaces have been cleaned up.
 */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { foldLedgerRecord } from '../../../../shared/projections/ledger/fold-ledger.ts'
import { createSnapshotJoiner } from '../../../../shared/projections/ledger/ledger-snapshot.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../../shared/projections/ledger/ledger-state.ts'
import { startsSleep } from '../../../../shared/projections/ledger/sleep.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../../shared/records/ledger.ts'
import { isRunning, isSettled } from '../../../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import type { Before } from './baseline.ts'
import { followSession, type SessionFollower, type SessionWatcher } from './follow-session.ts'
import { untilAborted } from './until-aborted.ts'

export interface RunWatcher {
  /** A task's state became durable. `children`: their state at that moment. */
  task(task: TaskTree): Promise<void>
  /** The agents that were begun have ended and these continue. */
  stillRunning(tasks: Task[]): Promise<void>
  /** Absent: the agents' output is not followed. */
  session?: SessionWatcher
}

interface Following {
  rootIds: ReadonlySet<TaskId>
  /** Whether the agents that were begun have ended according to the record. */
  isOver(state: LedgerState): boolean
  /** Settles when `isOver` may answer otherwise although nothing was recorded. */
  wake?: Promise<unknown>
  /** Tasks that already had this state before are neither reported nor awaited. */
  before?: Before
  /** The program is being closed, and calls may be refused. */
  ending: AbortSignal
  /** It is, and nothing more will be recorded. */
  closed: AbortSignal
}

export interface Followed {
  state: LedgerState
  /** Finished sub-agents whose clean-up was postponed; the next start retries it (R5). */
  notCleanedUp: Task[]
}

/**
 * Following ends if only clean-up or the release of blocked tasks is left and nothing was recorded for this long.
 * A clean-up step takes well under a second; removing a huge worktree takes several.
 */
const stallMsMax = 30_000

/** Resolves as well when the program was closed, with all that was recorded. */
export async function followTrees(
  client: ShiplogClient,
  watcher: RunWatcher,
  following: Following,
): Promise<Followed> {
  const { rootIds, before, ending, closed } = following
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, closed])
  const sessions = new Map<TaskId, SessionFollower>()
  const pendingRemovals = new Set<TaskId>()
  /** Roots whose sleep is recorded next: right after the run that ended with the quota. */
  const fallingAsleep = new Set<TaskId>()
  let state = emptyLedgerState('')
  let stillRunningShown = false
  let stall: NodeJS.Timeout | undefined
  let failure: unknown
  const told = new Map<TaskId, string>()

  /** Events of the trees since the agents were begun. */
  const fresh = (): Task[] =>
    [...state.tasks.values()].filter((task) => rootIds.has(task.rootId) && !before?.holds(task))

  async function onChange(task: Task | undefined): Promise<void> {
    if (!task || !rootIds.has(task.rootId) || before?.holds(task)) return
    const now = JSON.stringify(task)
    if (told.get(task.id) === now) return
    told.set(task.id, now)
    // Its output precedes the event that it has ended.
    if (isSettled(task.status)) await sessions.get(task.id)?.finish()
    await watcher.task(treeOf(state, task))
    if (watcher.session && task.runs.length > 0 && !sessions.has(task.id)) {
      const after = before?.entriesOf(task.id)
      const follower = followSession(client, task.id, watcher.session, { ending, closed, after })
      sessions.set(task.id, follower)
    }
  }

  async function onSnapshot(snapshot: LedgerState): Promise<void> {
    state = snapshot
    for (const task of [...state.tasks.values()]) await onChange(task)
  }

  async function onRecord(record: LedgerRecord): Promise<void> {
    const { event } = record
    foldLedgerRecord(state, record)
    if (event.type === 'workspace.removal-advanced') {
      if (event.pending === null) pendingRemovals.delete(event.workspaceId)
      else pendingRemovals.add(event.workspaceId)
    }
    followSleep(record)
    const taskId = taskOf(event)
    if (taskId) await onChange(state.tasks.get(taskId))
  }

  function followSleep({ event, at }: LedgerRecord): void {
    if (event.type === 'task.sleep-started' || event.type === 'task.sleep-ended')
      fallingAsleep.delete(event.taskId)
    if (event.type !== 'task.interrupted') return
    const task = state.tasks.get(event.taskId)
    const root = task && state.tasks.get(task.rootId)
    if (root && !root.sleep && startsSleep(root, event.cause, at)) fallingAsleep.add(root.id)
  }

  /** True when nothing is left to wait for. */
  async function look(): Promise<boolean> {
    clearTimeout(stall)
    if (!following.isOver(state)) return false
    // A sleeping tree resumes on its own (Q1).
    if ([...rootIds].some((id) => state.tasks.get(id)?.sleep)) return false
    const since = fresh()
    const atWork = since.filter(({ status }) => isRunning(status) || status === 'queued')
    if (atWork.length > 0) {
      if (stillRunningShown || ending.aborted) return false
      stillRunningShown = true
      await watcher.stillRunning(atWork)
      return false
    }
    const awaited =
      [...rootIds].some((id) => fallingAsleep.has(id)) ||
      since.some((task) => isAwaitingCleanUp(state, task, pendingRemovals)) ||
      [...state.tasks.values()].some((task) => rootIds.has(task.rootId) && isReleased(task, since))
    if (awaited) stall = setTimeout(() => stop.abort(), stallMsMax)
    return !awaited
  }

  /** The task that blocked it has just completed: it is queued next (T6). */
  function isReleased({ status, dependsOn }: Task, since: Task[]): boolean {
    return (
      status === 'blocked' &&
      dependsOn.every((id) => state.tasks.get(id)?.status === 'completed') &&
      dependsOn.some((id) => since.some((task) => task.id === id))
    )
  }

  following.wake
    ?.then(async () => {
      if (await look()) stop.abort()
    })
    .catch((error) => {
      failure = error
      stop.abort()
    })

  try {
    const feed = await client.feed.ledger(undefined, { signal })
    const snapshots = createSnapshotJoiner()
    for await (const event of untilAborted(feed, signal)) {
      const whole = snapshots.take(event)
      if (whole) {
        await onSnapshot(whole)
      } else if (event.type === 'records') {
        for (const record of event.records) await onRecord(record)
      } else continue
      if (await look()) break
    }
  } finally {
    clearTimeout(stall)
    stop.abort()
  }
  if (failure !== undefined && !ending.aborted) throw failure
  // Events that were recorded while everything was being closed.
  if (closed.aborted) await onSnapshot(await ledgerSnapshot(client))
  await Promise.all([...sessions.values()].map((session) => session.finish()))
  return { state, notCleanedUp: fresh().filter((task) => isAwaitingCleanUp(state, task)) }
}

/**
 * It reported and has no descendants left. Failed and interrupted tasks stay, to be resumed, and with them everything
 * above them (R1: only leaves are cleaned up).
 */
function isAwaitingCleanUp(
  state: LedgerState,
  task: Task,
  pendingRemovals = new Set<TaskId>(),
): boolean {
  if (task.parentId === null || task.options.keep) return false
  if (task.archived || task.workspace === null || task.status !== 'completed') return false
  if (pendingRemovals.has(task.id)) return false
  return [...state.tasks.values()]
    .filter((child) => child.parentId === task.id && child.workspace !== null && !child.archived)
    .every((child) => isAwaitingCleanUp(state, child, pendingRemovals))
}

/** The present state of the tasks. */
export async function ledgerSnapshot(client: ShiplogClient): Promise<LedgerState> {
  const snapshots = createSnapshotJoiner()
  for await (const event of await client.feed.ledger()) {
    const whole = snapshots.take(event)
    if (whole) return whole
  }
  throw new Error('the ledger feed began without a snapshot')
}

export function treeOf(state: LedgerState, task: Task): TaskTree {
  const children = [...state.tasks.values()].filter((other) => other.parentId === task.id)
  return { ...task, children: children.map((child) => treeOf(state, child)) }
}

function taskOf(event: LedgerEvent): TaskId | null {
  if ('taskId' in event) return event.taskId
  if ('workspaceId' in event) return event.workspaceId
  return null
}
