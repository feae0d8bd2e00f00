import { Command } from 'cmdk'
import { FileText, Folder, TextSearch } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import type { SearchHit } from '../../../shared/contract/search.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { StatusIcon, statusLabel, TitleText } from '../../components/primitives/index.ts'
import { kindText, Snippet } from '../../components/search/search-hits.tsx'
import { useLedger, useStores } from '../../store/hooks.ts'
import type { projectLabels } from '../../store/project-labels.ts'
import { projectRoute, type Route, taskRoute } from '../../store/window/route.ts'
import { routeOfHit, showsTranscript } from '../search/hit-route.ts'
import { projectMarks, taskMarks } from './distinguishing-marks.ts'
import { PaletteItem } from './palette-item.tsx'
import type { CommandGroup } from './use-palette-commands.tsx'

/** As many as a user scans; typing more narrows the list. */
const agentsShownMax = 50

export function CommandGroups(props: { groups: CommandGroup[]; onRun(command: () => void): void }) {
  const { groups, onRun } = props
  return (
    <>
      {groups.map(({ heading, commands }) => (
        <Command.Group
          key={heading}
          heading={<bdi className="untrusted">{plainText(heading)}</bdi>}
        >
          {commands.map(({ label, icon, keys, disabled, run: command }) => (
            <PaletteItem
              key={label}
              value={`${heading} ${label}`}
              icon={icon}
              keys={keys}
              disabled={disabled}
              onSelect={() => onRun(command)}
            >
              {label}
            </PaletteItem>
          ))}
        </Command.Group>
      ))}
    </>
  )
}

export function ProjectGroup(props: { projects: Project[]; onGo(route: Route): void }) {
  const { projects, onGo } = props
  const folders = projectMarks(projects)
  return (
    <Command.Group heading="Projects">
      {projects.map((project) => (
        <PaletteItem
          key={project.id}
          value={`project ${project.id}`}
          icon={<Folder />}
          onSelect={() => onGo(projectRoute(project.id))}
        >
          <span className="untrusted shrink-0">{project.name}</span>
          <span
            className="untrusted min-w-0 flex-1 truncate text-right text-small text-muted"
            title={folders.get(project.id)}
          >
            {folders.get(project.id)}
          </span>
        </PaletteItem>
      ))}
    </Command.Group>
  )
}

export function AgentGroup(props: {
  heading: string
  tasks: Task[]
  labels: ReturnType<typeof projectLabels>
  onGo(route: Route): void
}) {
  const { heading, tasks, labels, onGo } = props
  const shown = tasks.slice(0, agentsShownMax)
  const marks = taskMarks(shown, labels)
  const inArchive = useLedger(
    useShallow(({ ledger }) => shown.map(({ rootId }) => ledger.tasks.get(rootId)?.archived)),
  )
  return (
    <>
      <Command.Group heading={heading}>
        {shown.map((one, index) => (
          <PaletteItem
            key={one.id}
            value={`task ${one.id}`}
            icon={<StatusIcon status={one.status} />}
            onSelect={() =>
              onGo(
                one.archived
                  ? { screen: 'archive', taskId: one.id, tab: 'report' }
                  : taskRoute(one.id),
              )
            }
          >
            <TitleText title={one.title} className="min-w-0 flex-1" />
            <span className="untrusted shrink-0 text-small text-muted">
              {[marks.get(one.id), placeOf(one, inArchive[index] ?? false)]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </PaletteItem>
        ))}
      </Command.Group>
      {tasks.length > agentsShownMax ? (
        <p className="px-3 py-1.5 text-small text-muted">
          {tasks.length - agentsShownMax} more. Type more to narrow the list.
        </p>
      ) : null}
    </>
  )
}

/** A sub-agent that has ended is in the archive before its tree is: until then its status tells more. */
const placeOf = ({ status, agent }: Task, isTreeArchived: boolean): string =>
  `${agent} · ${isTreeArchived ? 'archived' : statusLabel(status).toLowerCase()}`

/** What was found in transcripts and reports, below the search of all of them. */
export function TextGroup(props: { query: string; hits: SearchHit[]; onGo(route: Route): void }) {
  const { query, hits, onGo } = props
  const { arrivals } = useStores()
  return (
    <Command.Group heading="In transcripts and reports">
      {/* Always first, so that hits, which arrive later, do not move the selection. */}
      <PaletteItem
        value="search everything"
        icon={<TextSearch />}
        onSelect={() => onGo({ screen: 'search', query })}
      >
        <span className="truncate">
          Search everything for “<bdi className="untrusted">{query}</bdi>”
        </span>
      </PaletteItem>
      {hits.map((hit) => (
        <PaletteItem
          key={`${hit.taskId} ${hit.kind} ${hit.seq}`}
          value={`hit ${hit.taskId} ${hit.kind} ${hit.seq}`}
          icon={<FileText />}
          onSelect={() => {
            if (showsTranscript(hit)) arrivals.expect({ taskId: hit.taskId, at: 'entry' })
            onGo(routeOfHit(hit))
          }}
        >
          <span className="min-w-0 flex-1 py-1">
            {/* A match at the end of a long line would be cut off. */}
            <Snippet hit={hit} lead={40} className="line-clamp-2" />
            <span className="untrusted block truncate text-small text-muted">
              {kindText(hit)} · {plainText(hit.title)}
            </span>
          </span>
        </PaletteItem>
      ))}
    </Command.Group>
  )
}
