/** Builds the rows of the sidebar's tree from the ledger. Pure. */
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import { isBeingRemoved } from '../../../shared/records/projects/workspaces.ts'
import { isRunning, isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TreeRow } from '../../components/tree/tree-row.ts'
import { projectLabels } from '../../store/project-labels.ts'
import type { Preferences } from '../../store/window/preferences.ts'

export type AgentFilter = 'all' | 'needs-you' | 'at-work' | 'interrupted' | 'finished'

export interface ProjectRow extends TreeRow {
  kind: 'project'
  project: Project
  /** Its name, with its folder if another project has the same name. */
  label: string
  /** How many of its roots run; 0 unless it is folded. */
  running: number
}

export interface TaskRow extends TreeRow {
  kind: 'task'
  id: TaskId
  task: Task
  /** Whether the root is settled: its queued sub-agents are then not started. */
  rootSettled: boolean
  /** When it wakes, ISO 8601; null if it does not sleep. */
  sleepsUntil: string | null
  /** A settled sub-agent, which has a row of one line. */
  compact: boolean
  unread: boolean
  /** How many agents below a settled root are interrupted. */
  interruptedBelow: number
  /** If it is folded: how many tasks are below it, and how many of those run. */
  below: number
  runningBelow: number
}

export type SidebarRow = ProjectRow | TaskRow

const rowHeight = 28
const twoLineHeight = 44

interface SidebarContents {
  projects: Iterable<Project>
  children: ReadonlyMap<TaskId | null, Task[]>
  /** Whether a project or a task is folded. */
  isFolded(id: string, task: Task | null): boolean
  filter?: AgentFilter
  /** Each word has to be in the title or the name of the agent. */
  text?: string
  /** The tasks that the filter 'needs-you' matches. */
  needing?: ReadonlySet<TaskId>
  isUnread?(root: Task): boolean
  /** By root. */
  interruptedBelow?: ReadonlyMap<TaskId, number>
}

/** As people count: `app2` before `app10`, and capitals do not matter. */
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/**
 * Projects by name, so that none moves while it is worked on, with the trees of their live roots, newest root first. A sub-agent stays in
 * its root's tree after its own workspace was cleaned up; the whole tree leaves the sidebar once the removal of the
 * root has begun. Rows below a folded row are left out. With a filter, only matching tasks and their ancestors are
 * included.
 */
export function sidebarRows(contents: SidebarContents): SidebarRow[] {
  const { projects, children, isFolded } = contents
  const rows: SidebarRow[] = []
  const isShown = shownBy(contents)
  const roots = (children.get(null) ?? []).filter((task) => !isGone(task))
  const byProject = Map.groupBy(roots, ({ projectId }) => projectId)
  const all = [...projects]
  const labels = projectLabels(all)
  const labelOf = ({ id, name }: Project): string => labels.get(id) ?? name
  // Projects with the same label keep the order in which they were added.
  for (const project of all.toSorted((a, b) => byName.compare(labelOf(a), labelOf(b)))) {
    const own = (byProject.get(project.id) ?? []).filter(isShown).toReversed()
    const folded = isFolded(project.id, null)
    rows.push({
      kind: 'project',
      id: project.id,
      project,
      label: labelOf(project),
      level: 1,
      height: rowHeight,
      folded,
      running: folded ? own.filter((task) => isRunning(task.status)).length : 0,
      hasChildren: own.length > 0,
    })
    if (!folded) for (const root of own) addTree(rows, root, root, contents, isShown)
  }
  return rows
}

/** Whether the filter matches the task or one below it. */
function shownBy({
  children,
  filter = 'all',
  text = '',
  needing,
}: SidebarContents): (task: Task) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (filter === 'all' && words.length === 0) return () => true
  const roots = new Map(children.get(null)?.map((root) => [root.id, root]))
  const isShown = (task: Task): boolean =>
    (hasWords(task, words) &&
      (filter === 'needs-you'
        ? (needing?.has(task.id) ?? false)
        : matchesFilter(task, roots.get(task.rootId), filter))) ||
    (children.get(task.id) ?? []).some(isShown)
  return isShown
}

const hasWords = ({ title, agent }: Task, words: readonly string[]): boolean => {
  const text = `${title} ${agent}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** A sleeping task continues automatically, so it counts as running. */
function matchesFilter(
  task: Task,
  root: Task | undefined,
  filter: Exclude<AgentFilter, 'needs-you'>,
): boolean {
  const { status } = task
  const sleeps = sleepOf(task, root) !== null
  switch (filter) {
    case 'all':
      return true
    case 'at-work':
      return isRunning(status) || status === 'queued' || sleeps
    case 'interrupted':
      return status === 'interrupted' && !sleeps
    case 'finished':
      return isSettled(status) && status !== 'interrupted'
  }
}

const isGone = (task: Task): boolean => task.archived || isBeingRemoved(task)

function addTree(
  rows: SidebarRow[],
  task: Task,
  root: Task,
  contents: SidebarContents,
  isShown: (task: Task) => boolean,
): void {
  const { children, isFolded, isUnread, interruptedBelow } = contents
  const below = (children.get(task.id) ?? []).filter(isShown)
  const folded = below.length > 0 && isFolded(task.id, task)
  const compact = task.parentId !== null && isSettled(task.status) && !sleepOf(task, root)
  const hidden = folded ? below.flatMap((child) => withAllBelow(child, children)) : []
  rows.push({
    kind: 'task',
    id: task.id,
    task,
    level: task.depth + 2,
    height: compact ? rowHeight : twoLineHeight,
    hasChildren: below.length > 0,
    folded,
    rootSettled: isSettled(root.status),
    sleepsUntil: sleepOf(task, root)?.until ?? null,
    compact,
    unread: isUnread?.(task) ?? false,
    interruptedBelow: isSettled(task.status) ? (interruptedBelow?.get(task.id) ?? 0) : 0,
    below: hidden.length,
    runningBelow: hidden.filter(({ status }) => isRunning(status)).length,
  })
  if (!folded) for (const child of below) addTree(rows, child, root, contents, isShown)
}

const withAllBelow = (task: Task, children: SidebarContents['children']): Task[] => [
  task,
  ...(children.get(task.id) ?? []).flatMap((child) => withAllBelow(child, children)),
]

/** Returns the preferences after the user folded or unfolded a row. `isRead`: it is folded unless it was opened. */
export function withFold(
  { folded, opened }: Pick<Preferences, 'folded' | 'opened'>,
  { id, isFolded, isRead }: { id: string; isFolded: boolean; isRead: boolean },
): Pick<Preferences, 'folded' | 'opened'> {
  const without = (ids: string[]) => ids.filter((one) => one !== id)
  // An opened row stays open once it has been read.
  if (isFolded) return { folded: without(folded), opened: [...without(opened), id] }
  return {
    opened: without(opened),
    folded: isRead ? without(folded) : [...without(folded), id],
  }
}
