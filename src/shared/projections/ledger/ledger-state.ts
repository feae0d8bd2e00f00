/** Projects and tasks as the ledger has recorded them, and walks of their tree. Pure. */

import type { ProjectId, TaskId } from '../../records/ids.ts'
import type { Project } from '../../records/projects/projects.ts'
import type { Task, TaskTree } from '../../records/tasks/tasks.ts'
import { type LedgerClock, unknownClock } from './ledger-clock.ts'

/** Objects in the maps are replaced, never changed; the maps themselves change in place. */
export interface LedgerState {
  /** The seq of the last record folded. */
  seq: number
  dataDir: string
  projects: Map<ProjectId, Project>
  /** Off the list and without settings: they are the same when they are added again. A feed sends none of them. */
  removedProjects: Map<ProjectId, Project>
  tasks: Map<TaskId, Task>
  /** The set-up configuration that the person allowed, by project. */
  trustedSetups: Map<ProjectId, string>
  /** The main process's own; no feed sends it. */
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

/** Children of each task, oldest first; roots stand under `null`. */
export function childrenByParent(tasks: Iterable<Task>): Map<TaskId | null, Task[]> {
  const children = new Map<TaskId | null, Task[]>()
  for (const task of tasks) {
    const siblings = children.get(task.parentId)
    if (siblings) siblings.push(task)
    else children.set(task.parentId, [task])
  }
  return children
}

/** How many tasks are below this one; `children` as `childrenByParent` gives them. */
export function countBelow(children: ReadonlyMap<TaskId | null, Task[]>, id: TaskId): number {
  const below = children.get(id) ?? []
  return below.reduce((count, child) => count + countBelow(children, child.id), below.length)
}

/** Nests tasks under their parents; a task whose parent is not among them becomes a root of the list. */
export function taskTree(tasks: Task[]): TaskTree[] {
  const ids = new Set(tasks.map((task) => task.id))
  const children = childrenByParent(tasks)
  const nest = (task: Task): TaskTree => ({
    ...task,
    children: (children.get(task.id) ?? []).map(nest),
  })
  return tasks.filter((task) => task.parentId === null || !ids.has(task.parentId)).map(nest)
}

/** Parent first, the root last. */
export function ancestorsOf(state: LedgerState, id: TaskId): TaskId[] {
  const ancestors: TaskId[] = []
  let parentId = state.tasks.get(id)?.parentId ?? null
  while (parentId) {
    ancestors.push(parentId)
    parentId = state.tasks.get(parentId)?.parentId ?? null
  }
  return ancestors
}

/** Deepest first, the task itself not included. */
export function descendantsOf(state: LedgerState, id: TaskId): Task[] {
  const children = childrenByParent(state.tasks.values())
  const collect = (parent: TaskId): Task[] =>
    (children.get(parent) ?? []).flatMap((child) => [...collect(child.id), child])
  return collect(id)
}

/** What recorded the task: a tool that it was imported from, or `here`. */
export const sourceOf = (state: Pick<LedgerState, 'tasks'>, task: Task): string =>
  state.tasks.get(task.rootId)?.importedFrom?.tool ?? 'here'
