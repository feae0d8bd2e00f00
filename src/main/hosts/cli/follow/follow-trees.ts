/**
 * Follows trees of agents until their started agents have ended: none runs or is queued, and the workspaces of finished
 * sub-agents have been cleaned up.
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
import type { Activity } from '../../../../shared/records/tasks/activity.ts'
import { isRunning, isSettled } from '../../../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import type { Baseline } from './baseline.ts'
import { eventsUntilAborted } from './events-until-aborted.ts'
import { followSession, type SessionFollower, type SessionWatcher } from './follow-session.ts'

export interface RunWatcher {
  /** Called when a task's new state is durable, with the state of its descendants at that moment. */
  task(task: TaskTree): Promise<void>
  /** Called when the followed agents have ended and these still run. */
  stillRunning(tasks: Task[]): Promise<void>
  /** Called once when an agent has been silent for long. Absent if that is not reported. */
  silent?(task: Task, doing: Silence): Promise<void>
  /** Absent if the agents' output is not followed. */
  session?: SessionWatcher
}

/** `since`: its last sign of life, in milliseconds since the epoch. */
export interface Silence {
  text: string
  since: number
  isStarting: boolean
}

interface FollowOptions {
  rootIds: ReadonlySet<TaskId>
  /** Reports whether the followed agents have ended. */
  isOver(state: LedgerState): boolean
  /** Settles when the result of `isOver` may have changed without a new record. */
  wake?: Promise<unknown>
  /** Tasks that have not changed since are neither reported nor awaited. */
  baseline?: Baseline
  /** Aborted when the program is being closed: calls may be refused. */
  ending: AbortSignal
  /** Aborted once it is closed: nothing more is recorded. */
  closed: AbortSignal
}

export interface Followed {
  state: LedgerState
  /** Finished sub-agents whose clean-up was postponed; the next start retries it (R5). */
  notCleanedUp: Task[]
}

/**
 * Following ends if only clean-up or the release of blocked tasks is pending and nothing was recorded for this long. A
 * clean-up step takes less than a second, or several for a huge worktree.
 */
const stallMsMax = 30_000

/** Also resolves when the program was closed, with the last recorded state. */
export async function followTrees(
  client: ShiplogClient,
  watcher: RunWatcher,
  following: FollowOptions,
): Promise<Followed> {
  const { rootIds, baseline, ending, closed } = following
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, closed])
  const sessions = new Map<TaskId, SessionFollower>()
  const pendingRemovals = new Set<TaskId>()
  /** Roots whose sleep will be recorded next, right after the run that ended because of a quota. */
  const awaitedSleeps = new Set<TaskId>()
  let state = emptyLedgerState('')
  let stillRunningShown = false
  let stall: NodeJS.Timeout | undefined
  let failure: unknown
  const lastShown = new Map<TaskId, string>()
  /** The silence of each task that was reported last, by its begin. */
  const silences = new Map<TaskId, number>()

  /** Returns the tasks of the trees that changed since the baseline. */
  const changedTasks = (): Task[] =>
    [...state.tasks.values()].filter(
      (task) => rootIds.has(task.rootId) && !baseline?.isUnchanged(task),
    )

  async function onChange(task: Task | undefined): Promise<void> {
    if (!task || !rootIds.has(task.rootId) || baseline?.isUnchanged(task)) return
    const now = JSON.stringify(task)
    if (lastShown.get(task.id) === now) return
    lastShown.set(task.id, now)
    // Its output is printed before its end.
    if (isSettled(task.status)) await sessions.get(task.id)?.finish()
    await watcher.task(treeOf(state, task))
    if (watcher.session && task.runs.length > 0 && !sessions.has(task.id)) {
      const after = baseline?.entriesOf(task.id)
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
      awaitedSleeps.delete(event.taskId)
    if (event.type !== 'task.interrupted') return
    const task = state.tasks.get(event.taskId)
    const root = task && state.tasks.get(task.rootId)
    if (root && !root.sleep && startsSleep(root, event.cause, at)) awaitedSleeps.add(root.id)
  }

  async function onActivity(taskId: TaskId, doing: Activity | null): Promise<void> {
    const task = state.tasks.get(taskId)
    if (doing?.state !== 'working' || doing.silentSince === undefined) return
    if (!task || !rootIds.has(task.rootId) || silences.get(taskId) === doing.silentSince) return
    silences.set(taskId, doing.silentSince)
    const { text, silentSince: since, starts = false } = doing
    await watcher.silent?.(task, { text, since, isStarting: starts })
  }

  /** Resolves with true once there is nothing to wait for. */
  async function isFollowedToEnd(): Promise<boolean> {
    clearTimeout(stall)
    if (!following.isOver(state)) return false
    // A sleeping tree resumes on its own (Q1).
    if ([...rootIds].some((id) => state.tasks.get(id)?.sleep)) return false
    const changed = changedTasks()
    const atWork = changed.filter(({ status }) => isRunning(status) || status === 'queued')
    if (atWork.length > 0) {
      if (stillRunningShown || ending.aborted) return false
      stillRunningShown = true
      await watcher.stillRunning(atWork)
      return false
    }
    const awaited =
      [...rootIds].some((id) => awaitedSleeps.has(id)) ||
      changed.some((task) => isAwaitingCleanUp(state, task, pendingRemovals)) ||
      [...state.tasks.values()].some(
        (task) => rootIds.has(task.rootId) && isReleased(task, changed),
      )
    if (awaited) stall = setTimeout(() => stop.abort(), stallMsMax)
    return !awaited
  }

  /** Reports whether the tasks that blocked it have just completed, so that it is queued next (T6). */
  function isReleased({ status, dependsOn }: Task, changed: Task[]): boolean {
    return (
      status === 'blocked' &&
      dependsOn.every((id) => state.tasks.get(id)?.status === 'completed') &&
      dependsOn.some((id) => changed.some((task) => task.id === id))
    )
  }

  following.wake
    ?.then(async () => {
      if (await isFollowedToEnd()) stop.abort()
    })
    .catch((error) => {
      failure = error
      stop.abort()
    })

  try {
    const feed = await client.feed.ledger(undefined, { signal })
    const snapshots = createSnapshotJoiner()
    for await (const event of eventsUntilAborted(feed, signal)) {
      const whole = snapshots.take(event)
      if (whole) {
        await onSnapshot(whole)
      } else if (event.type === 'records') {
        for (const record of event.records) await onRecord(record)
      } else {
        if (event.type === 'activity')
          for (const [id, doing] of Object.entries(event.activity))
            await onActivity(id as TaskId, doing ?? null)
        continue
      }
      if (await isFollowedToEnd()) break
    }
  } finally {
    clearTimeout(stall)
    stop.abort()
  }
  if (failure !== undefined && !ending.aborted) throw failure
  // Includes records that were written while everything was being closed.
  if (closed.aborted) await onSnapshot(await ledgerSnapshot(client))
  await Promise.all([...sessions.values()].map((session) => session.finish()))
  return { state, notCleanedUp: changedTasks().filter((task) => isAwaitingCleanUp(state, task)) }
}

/**
 * Reports whether a task has completed and has no descendants with workspaces, so that its own will be removed. Failed
 * and interrupted tasks are kept with all their ancestors (R1: only leaves are cleaned up).
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

/** Resolves with the current state of the ledger. */
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
