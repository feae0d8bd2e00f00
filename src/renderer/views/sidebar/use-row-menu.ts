import type { MenuEntry } from '../../components/primitives/index.ts'
import { menuOf } from '../actions/action.ts'
import { useProjectActions } from '../actions/use-project-actions.tsx'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import type { InterruptedListRow } from './interrupted-rows.ts'
import type { SidebarRow } from './rows.ts'

/** The context menu of a row of the sidebar. */
export function useRowMenu(): (row: SidebarRow | InterruptedListRow) => MenuEntry[] {
  const ofTask = useTaskActions()
  const ofProject = useProjectActions()
  return (row) => {
    switch (row.kind) {
      case 'project':
        return menuOf(ofProject(row.project.id))
      case 'tree':
        return menuOf(ofTask(row.root))
      default:
        return menuOf(ofTask(row.task))
    }
  }
}
