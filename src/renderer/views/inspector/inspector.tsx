import { X } from 'lucide-react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { IconButton, Tabs } from '../../components/primitives/index.ts'
import { usePreference, useStores } from '../../store/hooks.ts'
import { ChangesTab } from './changes-tab.tsx'
import { StateTab } from './state-tab.tsx'

/** The pane beside the conversation: the workspace's changes and the task's state. */
export function Inspector({ task, onClose }: { task: Task; onClose(): void }) {
  const { preferences } = useStores()
  const tab = usePreference('inspectorTab')
  return (
    <Tabs
      label="Inspector"
      className="flex-1"
      value={tab}
      onChange={(inspectorTab) => preferences.setState({ inspectorTab })}
      actions={<IconButton label="Close" icon={<X />} onClick={onClose} />}
      tabs={[
        {
          value: 'changes',
          label: 'Changes',
          kept: true,
          content: <ChangesTab key={task.id} task={task} />,
        },
        { value: 'state', label: 'State', content: <StateTab task={task} /> },
      ]}
    />
  )
}
