import { type RefObject, useState } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { modeOptions } from '../../components/permissions/mode-options.ts'
import { Select, toast } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { showProblem } from '../app/toasts.ts'
import { useProjectMode } from '../permissions/use-project-mode.ts'
import { AgentPicker } from './agent-picker.tsx'

export type NextRunPicker = 'agent' | 'permissions'

/** The agent, the model and the permission mode of a root's next run; a change is saved at once. */
export function NextRunPickers(props: {
  task: Task
  /** The unsent draft. */
  draft: string
  /** The picker whose list is open; null: none. */
  open: NextRunPicker | null
  onOpenChange(open: NextRunPicker | null): void
  /** Receives the focus once a model was selected. */
  returnTo: RefObject<HTMLElement | null>
}) {
  const { task, draft, open, onOpenChange, returnTo } = props
  const { id: taskId, spec, options, projectId } = task
  const { client } = useStores()
  const unreachable = useUnreachable()
  const ofProject = useProjectMode(projectId)
  const [busy, setBusy] = useState(false)
  const mode = options.permissions ?? ofProject ?? 'ask'
  const disabled = busy || unreachable !== undefined
  const set = async (wanted: Omit<Parameters<typeof client.tasks.setNextRun>[0], 'taskId'>) => {
    setBusy(true)
    await client.tasks.setNextRun({ taskId, ...wanted }).then(
      () => {
        if (isAtWork) toast.success('Applies from the next run on.')
      },
      (error: unknown) => showProblem(problemOf(error, 'change the next run')),
    )
    setBusy(false)
  }
  const isAtWork = task.status === 'spawned' || task.status === 'resumed'
  const toggled = (picker: NextRunPicker) => (isOpen: boolean) =>
    onOpenChange(isOpen ? picker : null)
  return (
    <>
      {/* A scripted agent follows the user's own script, which needs no permissions. */}
      {spec.kind === 'scripted' ? null : (
        <Select
          quiet
          label="Permissions"
          value={mode}
          onChange={(permissions) => void set({ permissions })}
          options={modeOptions}
          disabled={disabled}
          open={open === 'permissions'}
          onOpenChange={toggled('permissions')}
          className="h-6! shrink-0 gap-1! px-1.5! text-small!"
        />
      )}
      <AgentPicker
        task={task}
        draft={draft}
        disabled={disabled}
        returnTo={returnTo}
        open={open === 'agent'}
        onOpenChange={toggled('agent')}
        onChooseModel={(model) => void set({ model })}
      />
    </>
  )
}
