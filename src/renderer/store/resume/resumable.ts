/** Finds the tasks that can be resumed, and sorts them for display. Pure. */

import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isBeingRemoved } from '../../../shared/records/projects/workspaces.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { isRunning, isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

type Tasks = ReadonlyMap<TaskId, Task>

export interface InterruptedRow {
  task: Task
  /** The depth below the topmost listed task. */
  depth: number
  /** The number of listed tasks below it. */
  below: number
}

/**
 * Reports whether the task is interrupted, or left queued by a root that has stopped, and its
 * workspace exists.
 */
export function isResumable(tasks: Tasks, task: Task): boolean {
  if (isGone(task)) return false
  const root = tasks.get(task.rootId)
  if (task.status === 'interrupted') return true
  return (
    task.status === 'queued' &&
    task.parentId !== null &&
    root !== undefined &&
    isSettled(root.status)
  )
}

/**
 * Returns all interrupted tasks as trees: the most recently stopped tree first, parents before
 * their children. Sleeping ones are left out, because they continue
 * automatically. A task stays in the list after its root has completed, until it is resumed,
 * restarted or abandoned, or its workspace is removed.
 *
 * `hostSince` is when the host started, ISO 8601; null while unknown. `activity` is each agent's
 * current activity. A queued task that is older than the host and waits for nothing in it was
 * queued by an earlier host: nothing will start it, even if its root runs again.
 */
export function interruptedRows(
  tasks: Tasks,
  hostSince: string | null = null,
  activity: ReadonlyMap<TaskId, Activity> = new Map(),
): InterruptedRow[] {
  const neverStarted = (task: Task): boolean =>
    task.status === 'queued' &&
    hostSince !== null &&
    task.createdAt < hostSince &&
    !activity.has(task.id) &&
    !isGone(task)
  const listed = [...tasks.values()].filter((task) => {
    const root = tasks.get(task.rootId)
    if (sleepOf(task, root) || (root && isGone(root))) return false
    return isResumable(tasks, task) || neverStarted(task)
  })
  const among = new Set(listed.map(({ id }) => id))
  const children = Map.groupBy(listed, (task) => nearestListed(tasks, task, among))
  const tops = (children.get(null) ?? []).toSorted((a, b) =>
    stoppedAt(b).localeCompare(stoppedAt(a)),
  )
  return tops.flatMap((top) => treeOf(top, 0, children))
}

/** The interrupted tasks of one root's tree. */
export interface InterruptedTree {
  root: Task
  /** In tree order, including the root if it is interrupted. */
  rows: InterruptedRow[]
  /** The number of rows that ran; the others never started. */
  interrupted: number
  /** When the last of them stopped, ISO 8601. */
  stoppedAt: string
}

/**
 * `rows` are from `interruptedRows`. A root is listed once, wherever its agents are among the rows.
 */
export function interruptedTrees(tasks: Tasks, rows: InterruptedRow[]): InterruptedTree[] {
  return [...Map.groupBy(rows, ({ task }) => task.rootId)].flatMap(([rootId, ofRoot]) => {
    const root = tasks.get(rootId) ?? ofRoot[0]?.task
    if (!root) return []
    const stops = ofRoot.map(({ task }) => stoppedAt(task)).toSorted()
    return [
      {
        root,
        rows: ofRoot,
        interrupted: ofRoot.filter(({ task }) => task.status === 'interrupted').length,
        stoppedAt: stops.at(-1) ?? root.createdAt,
      },
    ]
  })
}

/** Returns the resumable tasks below a task, parents before their children. */
export function resumableBelow(tasks: Tasks, id: TaskId): Task[] {
  return [...tasks.values()]
    .filter((task) => task.id !== id && isBelow(tasks, task, id) && isResumable(tasks, task))
    .toSorted((a, b) => a.depth - b.depth)
}

/** Reports whether a task is a descendant of another. */
export function isBelow(tasks: Tasks, task: Task, id: TaskId): boolean {
  for (let above = task.parentId; above !== null; above = tasks.get(above)?.parentId ?? null)
    if (above === id) return true
  return false
}

/** Reports whether it was resumed and waits for a slot, so that it can be cancelled. */
export const isWaiting = (task: Task, activity: Activity | null): boolean =>
  !isRunning(task.status) && activity?.state === 'waiting'

/** Returns the time of its last sign of activity. */
export const stoppedAt = (task: Task): string => task.endedAt ?? task.startedAt ?? task.createdAt

const isGone = (task: Task): boolean => task.archived || task.trashed || isBeingRemoved(task)

/** Returns the nearest listed ancestor; one in between may have completed. */
function nearestListed(tasks: Tasks, task: Task, among: ReadonlySet<TaskId>): TaskId | null {
  let above = task.parentId
  while (above !== null && !among.has(above)) above = tasks.get(above)?.parentId ?? null
  return above
}

function treeOf(
  task: Task,
  depth: number,
  children: ReadonlyMap<TaskId | null, Task[]>,
): InterruptedRow[] {
  const below = (children.get(task.id) ?? []).flatMap((child) => treeOf(child, depth + 1, children))
  return [{ task, depth, below: below.length }, ...below]
}
