import { FolderMinus, Plus, Settings } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import { countBelow } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  EmptyState,
  NoticeLine,
  RelativeTime,
  StatusIcon,
  StatusText,
  TitleText,
} from '../../components/primitives/index.ts'
import { useLedger, useProject, useProjectLookup, useStores } from '../../store/hooks.ts'
import { taskRoute } from '../../store/window/route.ts'
import { NothingHere } from '../shell/nothing-here.tsx'

/** More rows would make the screen slow; the archive lists all of them. */
const rootsShownMax = 200

/** `projectId`: a whole id or a unique prefix. */
export function ProjectScreen({ projectId }: { projectId: string }) {
  const lookup = useProjectLookup(projectId)
  const project = useProject(lookup.kind === 'found' ? lookup.id : null)
  if (project) return <KnownProject project={project} />
  return <NothingHere what="project" id={projectId} lookup={lookup} />
}

/** A project: its folder, and the agents that were started in it, newest first. */
function KnownProject({ project }: { project: Project }) {
  const roots = useLedger(
    useShallow(({ children }) =>
      (children.get(null) ?? []).filter((task) => task.projectId === project.id).toReversed(),
    ),
  )
  const { overlay, navigation } = useStores()
  const newAgent = () => overlay.show({ kind: 'new-agent', projectId: project.id })
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex shrink-0 items-center gap-2 border-b px-4 py-2">
        <div className="min-w-0 flex-1">
          <h1 className="untrusted truncate text-title font-semibold">{project.name}</h1>
          <p className="untrusted truncate font-mono text-code text-muted" title={project.dir}>
            {project.dir}
          </p>
        </div>
        <Button
          icon={<Settings />}
          onClick={() => overlay.show({ kind: 'project-settings', projectId: project.id })}
        >
          Settings…
        </Button>
        <Button
          icon={<FolderMinus />}
          onClick={() => overlay.show({ kind: 'remove-project', projectId: project.id })}
        >
          Remove…
        </Button>
        {/* The empty state has a button of its own. */}
        {roots.length > 0 ? (
          <Button variant="primary" icon={<Plus />} onClick={newAgent}>
            New agent
          </Button>
        ) : null}
      </header>
      {project.git ? null : (
        <NoticeLine
          tone="info"
          className="border-b px-4"
          text="This folder is not a Git repository. Agents edit it directly, so there are no changes to compare or apply."
        />
      )}
      {project.revokedVariables ? (
        <NoticeLine
          tone="warning"
          className="border-b px-4"
          text={`Since it moved, or its repository was replaced, agents no longer get ${project.revokedVariables.join(', ')}.`}
          action={{
            label: 'Settings…',
            onClick: () => overlay.show({ kind: 'project-settings', projectId: project.id }),
          }}
        />
      ) : null}
      {roots.length === 0 ? (
        <EmptyState
          sentence={
            project.git
              ? 'No agents yet. Each one works in its own Git worktree, and everything it does is recorded.'
              : 'No agents yet. They work in this folder, and everything they do is recorded.'
          }
          action={{ label: 'New agent…', onClick: newAgent }}
        />
      ) : (
        <ul aria-label="Agents of this project" className="min-h-0 flex-1 overflow-auto py-2">
          {roots.slice(0, rootsShownMax).map((task) => (
            <RootRow key={task.id} task={task} />
          ))}
          {roots.length > rootsShownMax ? (
            <li className="px-4 py-1">
              <Button
                variant="quiet"
                onClick={() => navigation.go({ screen: 'archive', taskId: null, tab: 'report' })}
              >
                {`${counted(roots.length - rootsShownMax, 'older agent')} in the archive`}
              </Button>
            </li>
          ) : null}
        </ul>
      )}
    </div>
  )
}

function RootRow({ task }: { task: Task }) {
  const { navigation } = useStores()
  const agents = useLedger(({ children }) => countBelow(children, task.id))
  return (
    <li>
      <button
        type="button"
        className="focus-inset flex h-7 w-full items-center gap-3 px-4 text-left hover:bg-hover"
        onClick={() =>
          navigation.go(
            task.archived
              ? { screen: 'archive', taskId: task.id, tab: 'report' }
              : taskRoute(task.id),
          )
        }
      >
        <StatusIcon status={task.status} decorative />
        <TitleText title={task.title} className="min-w-0 flex-1" />
        {task.archived ? <span className="text-small text-muted">archived</span> : null}
        {agents > 0 ? (
          <span className="shrink-0 text-small text-muted">{counted(agents, 'sub-agent')}</span>
        ) : null}
        <span className="w-20 shrink-0 text-right text-small">
          <StatusText status={task.status} />
        </span>
        <RelativeTime
          at={task.endedAt ?? task.startedAt ?? task.createdAt}
          className="w-16 shrink-0 text-right text-small text-muted"
        />
      </button>
    </li>
  )
}
