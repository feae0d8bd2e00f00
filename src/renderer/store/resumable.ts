/** Which tasks can be resumed, and in what order a person sees them. Pure. */

import type { TaskId } from '../../shared/records/ids.ts'
import type { Activity } from '../../shared/records/tasks.ts'
import { isBeingRemoved, isRunning, isSettled, type Task } from '../../shared/records/tasks.ts'

type Tasks = ReadonlyMap<TaskId, Task>

export interface InterruptedRow {
  task: Task
  /** Below the topmost one that is listed. */
  depth: number
  /** How many listed ones are below it. */
  below: number
}

/** Interrupted, or left in the queue by a root that has stopped; in either case its workspace is there. */
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
 * Everything that is interrupted, as trees: the tree that stopped last first, parents before their children.
 * That its root has completed since does not take an agent off the list: only a resume, a restart, an abandon
 * or the removal of its workspace does.
 *
 * `hostSince`: when the host began, ISO 8601; null while that is not known. `activity`: what each agent is doing.
 * A queued task that is older than the host and waits for nothing in it was queued by an earlier host: nothing
 * will start it, also when its root runs again.
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
    return (isResumable(tasks, task) || neverStarted(task)) && !(root && isGone(root))
  })
  const among = new Set(listed.map(({ id }) => id))
  const children = Map.groupBy(listed, (task) => nearestListed(tasks, task, among))
  const tops = (children.get(null) ?? []).toSorted((a, b) =>
    stoppedAt(b).localeCompare(stoppedAt(a)),
  )
  return tops.flatMap((top) => treeOf(top, 0, children))
}

/** What is interrupted of one root's tree. */
export interface InterruptedTree {
  root: Task
  /** In the order of the tree, the root included where it is interrupted itself. */
  rows: InterruptedRow[]
  /** Of these, those that ran: the rest never started. */
  interrupted: number
  /** When the last of them stopped, ISO 8601. */
  stoppedAt: string
}

/** `rows`: as `interruptedRows` gives them. A root is listed once, wherever its agents stand among the rows. */
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

/** The resumable ones below a task, parents before their children. */
export function resumableBelow(tasks: Tasks, id: TaskId): Task[] {
  return [...tasks.values()]
    .filter((task) => task.id !== id && isBelow(tasks, task, id) && isResumable(tasks, task))
    .toSorted((a, b) => a.depth - b.depth)
}

/** Whether a task is somewhere below another. */
export function isBelow(tasks: Tasks, task: Task, id: TaskId): boolean {
  for (let above = task.parentId; above !== null; above = tasks.get(above)?.parentId ?? null)
    if (above === id) return true
  return false
}

/** It was resumed, and there is no room for it yet: it can be called off. */
export const isWaiting = (task: Task, activity: Activity | null): boolean =>
  !isRunning(task.status) && activity?.state === 'waiting'

/** Its last sign of life. */
export const stoppedAt = (task: Task): string => task.endedAt ?? task.startedAt ?? task.createdAt

const isGone = (task: Task): boolean => task.archived || task.trashed || isBeingRemoved(task)

/** One in between may have ended well. */
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
