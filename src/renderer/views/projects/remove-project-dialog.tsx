import { useShallow } from 'zustand/react/shallow'
import { tasksInUse } from '../../../shared/projections/ledger/project-use.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import {
  DialogDescription,
  TextButton,
  TitleText,
  toast,
} from '../../components/primitives/index.ts'
import { useLedger, useProject, useStores } from '../../store/hooks.ts'
import { homeRoute, taskRoute } from '../../store/window/route.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/** A longer list would scroll the instructions out of view. */
const inUseShownMax = 5

/** Confirms the removal of a project from the list, which deletes its settings. */
export function RemoveProjectDialog({ projectId }: { projectId: ProjectId }) {
  const project = useProject(projectId)
  return project ? <RemoveForm project={project} /> : null
}

function RemoveForm({ project }: { project: Project }) {
  const { client, navigation } = useStores()
  const inUse = useLedger(useShallow(({ ledger }) => tasksInUse(ledger, project.id)))
  const { name, dir } = project
  return (
    <FormDialog
      title={`Remove ${name}`}
      action="Remove project"
      doing="remove the project"
      danger
      canSubmit={inUse.length === 0}
      submit={async () => {
        await client.projects.remove({ projectId: project.id })
        const route = navigation.route.getState()
        if (route.screen === 'project') navigation.go(homeRoute)
        toast(`Removed ${name}. Its folder and what is in the archive are kept.`)
      }}
    >
      {inUse.length > 0 ? <InUse tasks={inUse} name={name} /> : null}
      <DialogDescription className="text-read">
        Removing takes the project off the list and forgets its settings: the environment variables
        of its agents and the set-up command that you allowed.
      </DialogDescription>
      <p className="text-muted">
        Nothing else is deleted: the folder{' '}
        <code className="untrusted font-mono text-code break-all">{dir}</code>, its Git branches,
        and the transcripts, reports and patches in the archive are kept.
      </p>
    </FormDialog>
  )
}

/** Links to the tasks whose workspaces have to be removed first. */
function InUse({ tasks, name }: { tasks: Task[]; name: string }) {
  const { navigation, overlay } = useStores()
  const show = (task: Task) => {
    overlay.hide()
    navigation.go(taskRoute(task.id))
  }
  return (
    <section className="rounded-md bg-amber-tint px-3 py-2">
      <p>
        <span className="font-semibold text-amber">
          {counted(tasks.length, 'workspace is', 'workspaces are')} in use.{' '}
        </span>
        {name} can be removed once {tasks.length === 1 ? 'it is' : 'they are'} in the archive. Open
        each agent and choose “Remove workspace” under State.
      </p>
      <ul className="mt-1">
        {tasks.slice(0, inUseShownMax).map((task) => (
          <li key={task.id} className="flex">
            <TextButton className="min-w-0 truncate" onClick={() => show(task)}>
              <TitleText title={task.title} />
            </TextButton>
          </li>
        ))}
      </ul>
      {tasks.length > inUseShownMax ? (
        <p className="text-muted">and {tasks.length - inUseShownMax} more</p>
      ) : null}
    </section>
  )
}
