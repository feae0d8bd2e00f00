import { useMemo, useRef } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { withKeptRows } from '../../components/tree/tree-row.ts'
import { isRead, isUnread } from '../../store/attention/seen.ts'
import { useInterruptedTrees, useLedger, usePreference, useStores } from '../../store/hooks.ts'
import { type SidebarRow, sidebarRows, withFold } from './rows.ts'
import { useNeedsYou } from './use-needs-you.ts'

/** The rows of the sidebar's tree; a row object stays the same until something that it shows has changed. */
export function useSidebarRows(text: string): {
  rows: readonly SidebarRow[]
  fold(row: SidebarRow): void
} {
  const { preferences, seenAtStart } = useStores()
  const children = useLedger((view) => view.children)
  const projects = useLedger(({ ledger }) => ledger.projects)
  const projectCount = useLedger(({ ledger }) => ledger.projects.size)
  const trees = useInterruptedTrees()
  const folded = usePreference('folded')
  const opened = usePreference('opened')
  const filter = usePreference('agentFilter')
  const needs = useNeedsYou()
  const needing = useMemo(
    () => new Set(filter === 'needs-you' ? needs.map(({ taskId }) => taskId) : []),
    [filter, needs],
  )
  const isFiltered = filter !== 'all' || text.trim() !== ''
  const seen = usePreference('seen')
  const seenSince = usePreference('seenSince')
  const kept = useRef<readonly SidebarRow[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of projects is updated in place, so its size is a dependency
  const rows = useMemo(() => {
    const closed = new Set(folded)
    const open = new Set(opened)
    kept.current = withKeptRows(
      kept.current,
      sidebarRows({
        projects: projects.values(),
        children,
        filter,
        text,
        needing,
        // With a filter, matching rows must be visible.
        isFolded: (id, task) =>
          (closed.has(id) && text.trim() === '') ||
          (task !== null && !isFiltered && isRead(task, seenAtStart) && !open.has(id)),
        isUnread: (root) => isUnread(root, { seen, seenSince }),
        interruptedBelow: new Map(trees.map((tree) => [tree.root.id, belowOf(tree)])),
      }),
    )
    return kept.current
  }, [
    projects,
    projectCount,
    children,
    folded,
    opened,
    filter,
    text,
    needing,
    isFiltered,
    seen,
    seenSince,
    trees,
    seenAtStart,
  ])

  const fold = (row: SidebarRow) =>
    preferences.setState((before) =>
      withFold(before, {
        id: row.id,
        isFolded: row.folded ?? false,
        isRead: row.kind === 'task' && isRead(row.task, seenAtStart),
      }),
    )
  return { rows, fold }
}

const belowOf = ({ root, rows }: { root: Task; rows: { task: Task }[] }): number =>
  rows.filter(({ task }) => task.id !== root.id && task.status === 'interrupted').length

/** Unfolds the project and the tasks above a task, so that its row exists. */
export function useUnfold(): (tasks: ReadonlyMap<TaskId, Task>, id: string) => void {
  const { preferences, seenAtStart } = useStores()
  return (tasks, id) => {
    const above = new Set<string>(foldablesAbove(tasks, id))
    const { folded, opened } = preferences.getState()
    const closed = folded.filter((one) => !above.has(one))
    const toOpen = [...above].filter((one) => {
      const task = tasks.get(one as TaskId)
      return task && isRead(task, seenAtStart) && !opened.includes(one)
    })
    if (closed.length < folded.length) preferences.setState({ folded: closed })
    if (toOpen.length > 0) preferences.setState({ opened: [...opened, ...toOpen] })
  }
}

/** Its project, and the tasks above it. */
function foldablesAbove(tasks: ReadonlyMap<TaskId, Task>, id: string): string[] {
  const above: string[] = []
  let task = tasks.get(id as TaskId)
  if (task) above.push(task.projectId)
  while (task?.parentId) {
    above.push(task.parentId)
    task = tasks.get(task.parentId)
  }
  return above
}
