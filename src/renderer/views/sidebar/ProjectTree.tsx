import { type KeyboardEvent, type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import type { Task } from '../../../shared/tasks.ts'
import { useLedger, usePreference, useRoute, useStores, useTaskLookup } from '../../store/hooks.ts'
import { toggled } from '../../store/preferences.ts'
import { isResumable } from '../../store/resumable.ts'
import { projectRoute, taskRoute } from '../../store/route.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { useKeys } from '../shell/use-keys.ts'
import { type SidebarRow, sidebarRows } from './rows.ts'
import { ProjectRow, TaskRow } from './TreeRows.tsx'

/** The tree of projects and their live agents. One stop for Tab; arrows or j and k move inside. */
export function ProjectTree() {
  const { preferences, navigation } = useStores()
  const children = useLedger((view) => view.children)
  const projects = useLedger(({ ledger }) => ledger.projects)
  const projectCount = useLedger(({ ledger }) => ledger.projects.size)
  const ledger = useLedger((view) => view.ledger)
  const { resume } = useResumeActions()
  const folded = usePreference('folded')
  const filter = usePreference('agentFilter')
  const tree = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of projects changes in place; its size tells
  const rows = useMemo(
    () => sidebarRows(projects.values(), children, new Set(folded), filter),
    [projects, projectCount, children, folded, filter],
  )
  const selected = useSelectedRow()
  useRevealed(tree, selected)
  const stop = rows.find(({ id }) => id === selected)?.id ?? rows[0]?.id

  const open = (row: SidebarRow) =>
    navigation.go(row.kind === 'project' ? projectRoute(row.project.id) : taskRoute(row.id))
  const viewTranscript = (id: TaskId) =>
    navigation.go({ screen: 'task', taskId: id, transcriptOf: id })
  const fold = (row: SidebarRow) =>
    preferences.setState(({ folded: ids }) => ({ folded: toggled(ids, row.id) }))
  const focusRow = (row: SidebarRow | undefined) =>
    row && tree.current?.querySelector<HTMLElement>(`[data-row="${row.id}"]`)?.focus()

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const id = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row
    const index = rows.findIndex((row) => row.id === id)
    const row = rows[index]
    if (!row) return
    switch (event.key) {
      case 'ArrowDown':
      case 'j':
        focusRow(rows[index + 1])
        break
      case 'ArrowUp':
      case 'k':
        focusRow(rows[index - 1])
        break
      case 'Home':
        focusRow(rows[0])
        break
      case 'End':
        focusRow(rows.at(-1))
        break
      case 'ArrowRight':
        if (row.folded) fold(row)
        else if (hasChildren(row)) focusRow(rows[index + 1])
        break
      case 'ArrowLeft':
        if (!row.folded && hasChildren(row)) fold(row)
        else focusRow(parentOf(rows, index))
        break
      case ' ':
        if (hasChildren(row)) fold(row)
        break
      case 'Enter':
        open(row)
        break
      case 't':
        // Of the one on screen the transcript is the conversation itself.
        if (row.kind === 'task' && row.id !== selected) viewTranscript(row.id)
        break
      case 'r':
        if (row.kind !== 'task' || !isResumable(ledger.tasks, row.task)) return
        void resume(row.id)
        break
      default:
        return
    }
    event.preventDefault()
    event.stopPropagation()
  }

  const enter = (from: 'first' | 'last') => () =>
    focusRow(rows.find(({ id }) => id === selected) ?? rows.at(from === 'first' ? 0 : -1))
  useKeys([
    { keys: 'j', label: 'Next row', group: 'Lists', run: enter('first') },
    { keys: 'k', label: 'Row before', group: 'Lists', run: enter('last') },
    { keys: 'Enter', label: 'Open', group: 'Lists' },
    { keys: 'Space', label: 'Fold or unfold', group: 'Lists' },
    { keys: 't', label: 'Transcript of the chosen agent', group: 'Lists' },
    { keys: 'r', label: 'Resume the chosen agent', group: 'Lists' },
  ])

  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Projects and agents"
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto pb-2"
    >
      {rows.map((row) => {
        const shared = {
          selected: row.id === selected,
          tabStop: row.id === stop,
          onOpen: () => open(row),
          onFold: () => fold(row),
        }
        return row.kind === 'project' ? (
          <ProjectRow key={row.id} row={row} {...shared} />
        ) : (
          <TaskRow
            key={row.id}
            row={row}
            {...shared}
            onViewTranscript={() => viewTranscript(row.id)}
          />
        )
      })}
    </div>
  )
}

const hasChildren = (row: SidebarRow): boolean => row.hasChildren

const levelOf = (row: SidebarRow): number => (row.kind === 'project' ? 0 : row.level)

function parentOf(rows: SidebarRow[], index: number): SidebarRow | undefined {
  const row = rows[index]
  return row && rows.slice(0, index).findLast((other) => levelOf(other) < levelOf(row))
}

/** The row of what is on screen. A link may name a task by the beginning of its id. */
function useSelectedRow(): string | null {
  const route = useRoute()
  const lookup = useTaskLookup(route.screen === 'task' ? route.taskId : '')
  if (route.screen === 'project') return route.projectId
  if (route.screen === 'task') return lookup.kind === 'found' ? lookup.id : null
  return null
}

/**
 * Brings the row of what was navigated to into view and unfolds what is above it: once for each
 * navigation, as soon as the row is there. Who then scrolls or folds is left alone.
 */
function useRevealed(tree: RefObject<HTMLElement | null>, selected: string | null): void {
  const { preferences } = useStores()
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const unfolded = useRef<string | null>(null)
  const revealed = useRef<string | null>(null)
  // After every rendering: the row may come later than the address, from the feed or once it is unfolded.
  useLayoutEffect(() => {
    if (revealed.current === selected) return
    if (selected !== unfolded.current) {
      const above = new Set(selected === null ? [] : foldablesAbove(tasks, selected))
      const { folded } = preferences.getState()
      const rest = folded.filter((id) => !above.has(id))
      if (rest.length < folded.length) preferences.setState({ folded: rest })
      unfolded.current = selected
    }
    const row = selected && tree.current?.querySelector(`[data-row="${CSS.escape(selected)}"]`)
    if (selected !== null && !row) return
    if (row) row.scrollIntoView({ block: 'nearest' })
    revealed.current = selected
  })
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
