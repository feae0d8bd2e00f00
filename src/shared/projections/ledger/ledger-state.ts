/** Projects and tasks as recorded in the ledger, and functions on their trees. Pure. */

import type { ProjectId, TaskId } from '../../records/ids.ts'
import type { Project } from '../../records/projects/projects.ts'
import type { Task, TaskTree } from '../../records/tasks/tasks.ts'
import { type LedgerClock, unknownClock } from './ledger-clock.ts'

/** Objects in the maps are replaced, never changed; the maps themselves are updated in place. */
export interface LedgerState {
  /** The seq of the last record folded. */
  seq: number
  dataDir: string
  projects: Map<ProjectId, Project>
  /** Removed from the list, without settings; they keep their ids when added again. No feed sends them. */
  removedProjects: Map<ProjectId, Project>
  tasks: Map<TaskId, Task>
  /** The set-up configuration that the user allowed, by project. */
  trustedSetups: Map<ProjectId, string>
  /** Only in the main process; no feed sends it. */
  clock: LedgerClock
}

export const emptyLedgerState = (dataDir: string): LedgerState => ({
  seq: 0,
  dataDir,
  projects: new Map(),
  removedProjects: new Map(),
  tasks: new Map(),
  trustedSetups: new Map(),
  clock: unknownClock,
})

/** Returns the children of each task, oldest first; roots under `null`. */
export function childrenByParent(tasks: Iterable<Task>): Map<TaskId | null, Task[]> {
  const children = new Map<TaskId | null, Task[]>()
  for (const task of tasks) {
    const siblings = children.get(task.parentId)
    if (siblings) siblings.push(task)
    else children.set(task.parentId, [task])
  }
  return children
}

/** Returns the number of tasks below this one. `children`: from `childrenByParent`. */
export function countBelow(children: ReadonlyMap<TaskId | null, Task[]>, id: TaskId): number {
  const below = children.get(id) ?? []
  return below.reduce((count, child) => count + countBelow(children, child.id), below.length)
}

/** Nests tasks under their parents; a task whose parent is not in the list becomes a root of it. */
export function taskTree(tasks: Task[]): TaskTree[] {
  const ids = new Set(tasks.map((task) => task.id))
  const children = childrenByParent(tasks)
  const nest = (task: Task): TaskTree => ({
    ...task,
    children: (children.get(task.id) ?? []).map(nest),
  })
  return tasks.filter((task) => task.parentId === null || !ids.has(task.parentId)).map(nest)
}

/** Returns the ancestors, parent first, root last. */
export function ancestorsOf(state: LedgerState, id: TaskId): TaskId[] {
  const ancestors: TaskId[] = []
  let parentId = state.tasks.get(id)?.parentId ?? null
  while (parentId) {
    ancestors.push(parentId)
    parentId = state.tasks.get(parentId)?.parentId ?? null
  }
  return ancestors
}

/** Returns the tasks below this one, deepest first. */
export function descendantsOf(state: LedgerState, id: TaskId): Task[] {
  const children = childrenByParent(state.tasks.values())
  const collect = (parent: TaskId): Task[] =>
    (children.get(parent) ?? []).flatMap((child) => [...collect(child.id), child])
  return collect(id)
}

/** Returns the tool that the task was imported from, or `here`. */
export const sourceOf = (state: Pick<LedgerState, 'tasks'>, task: Task): string =>
  state.tasks.get(task.rootId)?.importedFrom?.tool ?? 'here'
