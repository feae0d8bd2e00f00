import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { TextButton } from '../../components/primitives/index.ts'
import { Tree, type TreeHandle } from '../../components/tree/tree.tsx'
import {
  useLedger,
  useProjectLookup,
  useRoute,
  useStores,
  useTaskLookup,
} from '../../store/hooks.ts'
import { projectRoute, taskRoute } from '../../store/window/route.ts'
import { runByKey } from '../actions/action.ts'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import { useKeys } from '../shell/use-keys.ts'
import type { SidebarRow } from './rows.ts'
import { renderSidebarRow } from './tree-rows.tsx'
import { useRowMenu } from './use-row-menu.ts'
import { useSidebarRows, useUnfold } from './use-sidebar-rows.ts'

/** The tree of projects and their live agents. `text` filters them. */
export function ProjectTree({ text }: { text: string }) {
  const { navigation } = useStores()
  const actionsOf = useTaskActions()
  const { rows, fold } = useSidebarRows(text)
  const tree = useRef<TreeHandle>(null)
  const selected = useSelectedRow()
  const menuOf = useRowMenu()
  useRevealed(tree, selected)

  const open = (row: SidebarRow) =>
    navigation.go(row.kind === 'project' ? projectRoute(row.project.id) : taskRoute(row.id))
  const onKey = (key: string, row: SidebarRow): boolean => {
    return row.kind === 'task' && runByKey(actionsOf(row.task), key)
  }

  const enter = (from: 'first' | 'last') => () => tree.current?.enter(from)
  useKeys([
    { keys: 'j', also: 'ArrowDown', label: 'Next row', group: 'Lists', run: enter('first') },
    { keys: 'k', also: 'ArrowUp', label: 'Previous row', group: 'Lists', run: enter('last') },
    { keys: 'Enter', label: 'Open', group: 'Lists' },
    { keys: 'Space', label: 'Fold or unfold', group: 'Lists' },
    { keys: 't', label: 'Transcript of the selected agent', group: 'Lists' },
    { keys: 'r', label: 'Resume the selected agent', group: 'Lists' },
  ])

  if (rows.length === 0) return <NoProjects />
  return (
    <Tree<SidebarRow>
      ref={tree}
      label="Projects and agents"
      rows={rows}
      selected={selected}
      renderRow={renderSidebarRow}
      onOpen={open}
      onFold={fold}
      onKey={onKey}
      menuOf={menuOf}
      className="min-h-0 flex-1"
    />
  )
}

function NoProjects() {
  const { overlay } = useStores()
  return (
    <p className="min-h-0 flex-1 px-4 text-small text-muted">
      Your projects and their agents are listed here.{' '}
      <TextButton onClick={() => overlay.show({ kind: 'add-project' })}>Add a folder…</TextButton>
    </p>
  )
}

/** The row of the screen's task or project. A link may have only the beginning of a task's id. */
function useSelectedRow(): string | null {
  const route = useRoute()
  const ofTask = route.screen === 'task' || route.screen === 'review'
  const lookup = useTaskLookup(ofTask ? route.taskId : '')
  const project = useProjectLookup(route.screen === 'project' ? route.projectId : '')
  if (route.screen === 'project') return project.kind === 'found' ? project.id : null
  if (ofTask) return lookup.kind === 'found' ? lookup.id : null
  return null
}

/**
 * Scrolls to the row of the current route and unfolds the rows above it, once for each navigation, as soon as the row
 * exists. Scrolling and folding after that are not undone.
 */
function useRevealed(tree: RefObject<TreeHandle | null>, selected: string | null): void {
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const unfold = useUnfold()
  const unfolded = useRef<string | null>(null)
  const revealed = useRef<string | null>(null)
  // Runs after every render, because the row may appear after the navigation, by the feed or by unfolding.
  useLayoutEffect(() => {
    if (revealed.current === selected) return
    if (selected !== null && selected !== unfolded.current) unfold(tasks, selected as TaskId)
    unfolded.current = selected
    if (selected !== null && !tree.current?.reveal(selected)) return
    revealed.current = selected
  })
}
