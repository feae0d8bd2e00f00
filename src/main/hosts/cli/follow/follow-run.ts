/**
 * Follows a root agent and everything below it to the end: its run has ended, no sub-agent runs or waits
 * for its turn any more, and finished sub-agents' workspaces have been cleaned up.
 */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { TaskId } from '../../../../shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../../shared/ledger.ts'
import { createSnapshotJoiner } from '../../../../shared/projections/ledger-snapshot.ts'
import {
  descendantsOf,
  emptyLedgerState,
  foldLedgerRecord,
  type LedgerState,
} from '../../../../shared/projections/ledger-state.ts'
import { isRunning, isSettled, type Task, type TaskTree } from '../../../../shared/tasks.ts'
import { followSession, type SessionFollower, type SessionWatcher } from './follow-session.ts'
import { untilAborted } from './until-aborted.ts'

export interface RunWatcher extends SessionWatcher {
  /** A task's state became durable. `children`: as they stand at that moment. */
  task(task: TaskTree): Promise<void>
  /** The root's run has ended and these go on. */
  stillRunning(tasks: Task[]): Promise<void>
}

export interface EndedRun {
  root: TaskTree
  /** Finished sub-agents whose clean-up was put off; the next start tries again (R5). */
  notCleanedUp: Task[]
}

/**
 * Once nothing but clean-up is left, and nothing has been recorded for this long, it is not waited for
 * any more. Each of its steps takes well under a second; a huge worktree's removal takes several.
 */
const cleanUpStallMsMax = 30_000

/**
 * `ending`: the program is being closed, and calls may be refused; `closed`: it is, and nothing more will
 * be recorded. Resolves then as well, with all that was.
 */
export async function followRun(
  client: ShiplogClient,
  rootId: TaskId,
  watcher: RunWatcher,
  options: { keep: boolean; ending: AbortSignal; closed: AbortSignal },
): Promise<EndedRun> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, options.closed])
  const sessions = new Map<TaskId, SessionFollower>()
  const putOff = new Set<TaskId>()
  let state = emptyLedgerState('')
  let saidStillRunning = false
  let stall: NodeJS.Timeout | undefined
  const told = new Map<TaskId, string>()

  async function onChange(taskId: TaskId): Promise<void> {
    const task = state.tasks.get(taskId)
    if (task?.rootId !== rootId) return
    const now = JSON.stringify(task)
    if (told.get(taskId) === now) return
    told.set(taskId, now)
    // What it said comes before the news that it has ended.
    if (isSettled(task.status)) await sessions.get(taskId)?.finish()
    await watcher.task(withChildren(state, task))
    if (task.runs.length > 0 && !sessions.has(taskId)) {
      sessions.set(taskId, followSession(client, taskId, watcher, options))
    }
  }

  async function onSnapshot(snapshot: LedgerState): Promise<void> {
    state = snapshot
    for (const id of treeOf(state, rootId)) await onChange(id)
  }

  async function onRecord(record: LedgerRecord): Promise<void> {
    const { event } = record
    foldLedgerRecord(state, record)
    if (event.type === 'workspace.removal-advanced') {
      if (event.pending === null) putOff.delete(event.workspaceId)
      else putOff.add(event.workspaceId)
    }
    const taskId = taskOf(event)
    if (taskId) await onChange(taskId)
  }

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
      const left = whatIsLeft(state, rootId, options.keep ? 'all' : putOff)
      if (left.kind === 'nothing') break
      if (left.kind === 'sub-agents' && !saidStillRunning && !options.ending.aborted) {
        saidStillRunning = true
        await watcher.stillRunning(left.tasks)
      }
      clearTimeout(stall)
      if (left.kind === 'clean-up') stall = setTimeout(() => stop.abort(), cleanUpStallMsMax)
    }
  } finally {
    clearTimeout(stall)
    stop.abort()
  }
  // What was recorded while everything was being closed.
  if (options.closed.aborted) await onSnapshot(await snapshotOf(client))
  await Promise.all([...sessions.values()].map((session) => session.finish()))

  const root = state.tasks.get(rootId)
  if (!root) throw new Error(`the agent ${rootId} is not in the record`)
  const notCleanedUp = options.keep
    ? []
    : descendantsOf(state, rootId).filter((task) => isAwaitingCleanUp(state, task))
  return { root: withChildren(state, root), notCleanedUp }
}

type Left =
  | { kind: 'nothing' }
  | { kind: 'root' }
  | { kind: 'sub-agents'; tasks: Task[] }
  | { kind: 'clean-up' }

function whatIsLeft(state: LedgerState, rootId: TaskId, notAwaited: 'all' | Set<TaskId>): Left {
  const root = state.tasks.get(rootId)
  if (!root || !isSettled(root.status)) return { kind: 'root' }
  const below = descendantsOf(state, rootId)
  const tasks = below.filter((task) => isRunning(task.status) || task.status === 'queued')
  if (tasks.length > 0) return { kind: 'sub-agents', tasks }
  const awaitsCleanUp = below.some(
    (task) => notAwaited !== 'all' && isAwaitingCleanUp(state, task, notAwaited),
  )
  return awaitsCleanUp ? { kind: 'clean-up' } : { kind: 'nothing' }
}

/**
 * It reported and nothing below it stays. What failed or was interrupted does, to be gone on with, and
 * with it everything above it (R1: only leaves are cleaned up).
 */
function isAwaitingCleanUp(state: LedgerState, task: Task, putOff = new Set<TaskId>()): boolean {
  if (task.archived || task.workspace === null || task.status !== 'completed') return false
  if (putOff.has(task.id)) return false
  return [...state.tasks.values()]
    .filter((child) => child.parentId === task.id && child.workspace !== null && !child.archived)
    .every((child) => isAwaitingCleanUp(state, child, putOff))
}

async function snapshotOf(client: ShiplogClient): Promise<LedgerState> {
  const snapshots = createSnapshotJoiner()
  for await (const event of await client.feed.ledger()) {
    const whole = snapshots.take(event)
    if (whole) return whole
  }
  throw new Error('the ledger feed began without a snapshot')
}

const treeOf = (state: LedgerState, rootId: TaskId): TaskId[] =>
  [...state.tasks.values()].filter((task) => task.rootId === rootId).map((task) => task.id)

function withChildren(state: LedgerState, task: Task): TaskTree {
  const children = [...state.tasks.values()].filter((other) => other.parentId === task.id)
  return { ...task, children: children.map((child) => withChildren(state, child)) }
}

function taskOf(event: LedgerEvent): TaskId | null {
  if ('taskId' in event) return event.taskId
  if ('workspaceId' in event) return event.workspaceId
  return null
}
