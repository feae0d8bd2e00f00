import { ExternalLink, FolderMinus, Hash, Plus, Settings } from 'lucide-react'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { projectRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import type { ProjectAction } from './action.ts'

/** Returns a function that lists the actions of a project. */
export function useProjectActions(): (projectId: ProjectId) => ProjectAction[] {
  const { navigation, overlay } = useStores()
  const { copy } = useActions()
  const disabled = useUnreachable() !== undefined
  return (projectId) => [
    {
      id: 'open-project',
      label: 'Open',
      icon: <ExternalLink />,
      group: 'open',
      run: () => navigation.go(projectRoute(projectId)),
    },
    {
      id: 'new-agent',
      label: 'New agent…',
      icon: <Plus />,
      group: 'open',
      disabled,
      run: () => overlay.show({ kind: 'new-agent', projectId }),
    },
    {
      id: 'project-settings',
      label: 'Project settings…',
      icon: <Settings />,
      group: 'open',
      disabled,
      run: () => overlay.show({ kind: 'project-settings', projectId }),
    },
    {
      id: 'copy-project-id',
      label: 'Copy project ID',
      icon: <Hash />,
      group: 'name',
      run: () => void copy(projectId, 'the project ID'),
    },
    {
      id: 'remove-project',
      label: 'Remove project…',
      icon: <FolderMinus />,
      group: 'keep',
      disabled,
      run: () => overlay.show({ kind: 'remove-project', projectId }),
    },
  ]
}
