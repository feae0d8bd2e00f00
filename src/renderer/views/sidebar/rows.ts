/** The sidebar's rows, in order, from what the ledger knows. Pure. */
import type { TaskId } from '../../../shared/ids.ts'
import {
  isBeingRemoved,
  isRunning,
  isSettled,
  type Project,
  type Task,
} from '../../../shared/tasks.ts'

export type AgentFilter = 'all' | 'at-work' | 'interrupted' | 'finished'

export type SidebarRow =
  | {
      kind: 'project'
      id: string
      project: Project
      folded: boolean
      running: number
      hasChildren: boolean
    }
  | {
      kind: 'task'
      id: TaskId
      task: Task
      /** 1 for a root. */
      level: number
      hasChildren: boolean
      folded: boolean
    }

/**
 * Projects with the trees of their live roots below them, newest root first. A sub-agent stays in its
 * root's tree after its own workspace was cleaned up; once the root's removal has begun, the tree is in
 * the archive or on its way there. What is below a folded row is left out. With a filter, those of that
 * kind are shown, and what they are below.
 */
export function sidebarRows(
  projects: Iterable<Project>,
  children: ReadonlyMap<TaskId | null, Task[]>,
  folded: ReadonlySet<string>,
  filter: AgentFilter = 'all',
): SidebarRow[] {
  const rows: SidebarRow[] = []
  const isShown = shownBy(filter, children)
  const roots = (children.get(null) ?? [])
    .filter((task) => !isGone(task) && isShown(task))
    .toReversed()
  for (const project of projects) {
    const own = roots.filter((task) => task.projectId === project.id)
    const isFolded = folded.has(project.id)
    rows.push({
      kind: 'project',
      id: project.id,
      project,
      folded: isFolded,
      running: own.filter((task) => isRunning(task.status)).length,
      hasChildren: own.length > 0,
    })
    if (!isFolded) for (const root of own) addTree(rows, root, 1, children, folded, isShown)
  }
  return rows
}

/** Whether it, or something below it, is of that kind. */
function shownBy(
  filter: AgentFilter,
  children: ReadonlyMap<TaskId | null, Task[]>,
): (task: Task) => boolean {
  if (filter === 'all') return () => true
  const isShown = (task: Task): boolean =>
    isOfKind(task, filter) || (children.get(task.id) ?? []).some(isShown)
  return isShown
}

function isOfKind({ status }: Task, filter: Exclude<AgentFilter, 'all'>): boolean {
  switch (filter) {
    case 'at-work':
      return isRunning(status) || status === 'queued'
    case 'interrupted':
      return status === 'interrupted'
    case 'finished':
      return isSettled(status) && status !== 'interrupted'
  }
}

const isGone = (task: Task): boolean => task.archived || isBeingRemoved(task)

function addTree(
  rows: SidebarRow[],
  task: Task,
  level: number,
  children: ReadonlyMap<TaskId | null, Task[]>,
  folded: ReadonlySet<string>,
  isShown: (task: Task) => boolean,
): void {
  const below = (children.get(task.id) ?? []).filter(isShown)
  const isFolded = folded.has(task.id)
  rows.push({
    kind: 'task',
    id: task.id,
    task,
    level,
    hasChildren: below.length > 0,
    folded: isFolded,
  })
  if (!isFolded)
    for (const child of below) addTree(rows, child, level + 1, children, folded, isShown)
}
