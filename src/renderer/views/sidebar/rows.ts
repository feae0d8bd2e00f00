/** The sidebar's rows, in order, from what the ledger knows. Pure. */
import type { TaskId } from '../../../shared/ids.ts'
import { isBeingRemoved, isRunning, type Project, type Task } from '../../../shared/tasks.ts'

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
 * the archive or on its way there. What is below a folded row is left out.
 */
export function sidebarRows(
  projects: Iterable<Project>,
  children: ReadonlyMap<TaskId | null, Task[]>,
  folded: ReadonlySet<string>,
): SidebarRow[] {
  const rows: SidebarRow[] = []
  const roots = (children.get(null) ?? []).filter((task) => !isGone(task)).toReversed()
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
    if (!isFolded) for (const root of own) addTree(rows, root, 1, children, folded)
  }
  return rows
}

/**
 * Interrupted ones that have not been cleaned up: what waits for the person. The newest first. A
 * sub-agent whose root has completed since, or is in the archive, holds nothing up any more.
 */
export const interruptedTasks = (tasks: ReadonlyMap<TaskId, Task>): Task[] =>
  [...tasks.values()]
    .filter((task) => task.status === 'interrupted' && !isGone(task))
    .filter((task) => {
      const root = tasks.get(task.rootId)
      return !root || (root.status !== 'completed' && !isGone(root))
    })
    .sort((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''))

const isGone = (task: Task): boolean => task.archived || isBeingRemoved(task)

function addTree(
  rows: SidebarRow[],
  task: Task,
  level: number,
  children: ReadonlyMap<TaskId | null, Task[]>,
  folded: ReadonlySet<string>,
): void {
  const below = children.get(task.id) ?? []
  const isFolded = folded.has(task.id)
  rows.push({
    kind: 'task',
    id: task.id,
    task,
    level,
    hasChildren: below.length > 0,
    folded: isFolded,
  })
  if (!isFolded) for (const child of below) addTree(rows, child, level + 1, children, folded)
}
