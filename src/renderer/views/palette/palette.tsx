import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { FileText, Folder, TextSearch } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { plainText } from '../../../shared/text/plain-text.ts'
import { Kbd, StatusIcon, TitleText } from '../../components/primitives/index.ts'
import { kindText, Snippet } from '../../components/search/search-hits.tsx'
import { useLedger, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { projectRoute, type Route, taskRoute } from '../../store/window/route.ts'
import { keyName } from '../keys/key-name.ts'
import { routeOfHit } from '../search/hit-route.ts'
import { projectMarks, taskMarks } from './distinguishing-marks.ts'
import { rankedMatches, scoreOf } from './search.ts'
import { usePaletteCommands } from './use-palette-commands.tsx'
import { useSubject } from './use-subject.ts'
import { useTextHits } from './use-text-hits.ts'
import { useTypedEarly } from './use-typed-early.ts'

/** As many as a person scans; typing more narrows the list. */
const agentsShownMax = 50
/** Shown before anything is typed. */
const recentAgentsMax = 12

/** Finds actions of the focused item and of the screen, projects, agents, and texts in transcripts. */
export function Palette() {
  const { overlay, navigation } = useStores()
  const subject = useSubject()
  const groups = usePaletteCommands(subject)
  // Not deferred: the list has to change together with the text, because the first match is selected right
  // after the text has changed. Later, nothing would be selected, and Enter would do nothing.
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useTypedEarly(input, setText)
  const projects = useLedger(useShallow(({ ledger }) => [...ledger.projects.values()]))
  const tasks = useLedger(useShallow(({ ledger }) => [...ledger.tasks.values()]))
  const hits = useTextHits(text)
  const query = text.trim()
  const go = (route: Route) => {
    overlay.hide()
    navigation.go(route)
  }
  const run = (command: () => void) => {
    overlay.hide()
    command()
  }
  const groupsShown = groups
    .map(({ heading, commands }) => ({
      heading,
      commands: rankedMatches(commands, ({ label }) => scoreOf(text, [label])),
    }))
    .filter(({ commands }) => commands.length > 0)
  const projectsShown = rankedMatches(projects, ({ name, id }) => scoreOf(text, [name], id))
  const tasksShown = useMemo(() => {
    const recent = tasks.filter(({ trashed }) => !trashed).toReversed()
    if (query === '') return recent.slice(0, recentAgentsMax)
    const names = new Map(projects.map(({ id, name }) => [id, name]))
    return rankedMatches(recent, ({ title, agent, projectId, id }) =>
      scoreOf(query, [title, agent, names.get(projectId) ?? ''], id),
    )
  }, [tasks, projects, query])
  const shownTasks = tasksShown.slice(0, agentsShownMax)
  const marks = taskMarks(shownTasks, projectLabels(projects))
  const folders = projectMarks(projectsShown)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && overlay.hide()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-md bg-raised text-ink shadow-popup outline-none">
          <Dialog.Title className="sr-only">Commands and agents</Dialog.Title>
          <Command label="Commands and agents" loop shouldFilter={false}>
            <Command.Input
              ref={input}
              value={text}
              onValueChange={setText}
              placeholder="Search actions, projects, agents and transcripts"
              className="h-11 w-full border-b bg-transparent px-4 text-read outline-none focus-visible:outline-none"
            />
            <Command.List className="max-h-[56vh] overflow-auto p-1 [&_[cmdk-group-heading]]:truncate [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-muted">
              {groupsShown.map(({ heading, commands }) => (
                <Command.Group
                  key={heading}
                  heading={<bdi className="untrusted">{plainText(heading)}</bdi>}
                >
                  {commands.map(({ label, icon, keys, disabled, run: command }) => (
                    <Item
                      key={label}
                      value={`${heading} ${label}`}
                      icon={icon}
                      keys={keys}
                      disabled={disabled}
                      onSelect={() => run(command)}
                    >
                      {label}
                    </Item>
                  ))}
                </Command.Group>
              ))}
              {projectsShown.length > 0 ? (
                <Command.Group heading="Projects">
                  {projectsShown.map((project) => (
                    <Item
                      key={project.id}
                      value={`project ${project.id}`}
                      icon={<Folder />}
                      onSelect={() => go(projectRoute(project.id))}
                    >
                      <span className="untrusted shrink-0">{project.name}</span>
                      <span
                        className="untrusted min-w-0 flex-1 truncate text-right text-small text-muted"
                        title={folders.get(project.id)}
                      >
                        {folders.get(project.id)}
                      </span>
                    </Item>
                  ))}
                </Command.Group>
              ) : null}
              {tasksShown.length > 0 ? (
                <Command.Group heading={query === '' ? 'Recent agents' : 'Agents'}>
                  {shownTasks.map((one) => (
                    <Item
                      key={one.id}
                      value={`task ${one.id}`}
                      icon={<StatusIcon status={one.status} />}
                      onSelect={() =>
                        go(
                          one.archived
                            ? { screen: 'archive', taskId: one.id, tab: 'report' }
                            : taskRoute(one.id),
                        )
                      }
                    >
                      <TitleText title={one.title} className="min-w-0 flex-1" />
                      <span className="untrusted shrink-0 text-small text-muted">
                        {[marks.get(one.id), one.archived ? 'archived' : one.agent]
                          .filter(Boolean)
                          .join(' · ')}
                      </span>
                    </Item>
                  ))}
                </Command.Group>
              ) : null}
              {query !== '' && tasksShown.length > agentsShownMax ? (
                <p className="px-3 py-1.5 text-small text-muted">
                  {tasksShown.length - agentsShownMax} more. Type more to narrow the list.
                </p>
              ) : null}
              {query === '' ? null : (
                <Command.Group heading="In transcripts and reports">
                  {/* Always first, so that hits, which arrive later, do not move the selection. */}
                  <Item
                    value="search everything"
                    icon={<TextSearch />}
                    onSelect={() => go({ screen: 'search', query })}
                  >
                    <span className="truncate">
                      Search everything for “<bdi className="untrusted">{query}</bdi>”
                    </span>
                  </Item>
                  {hits.map((hit) => (
                    <Item
                      key={`${hit.taskId} ${hit.kind} ${hit.seq}`}
                      value={`hit ${hit.taskId} ${hit.kind} ${hit.seq}`}
                      icon={<FileText />}
                      onSelect={() => go(routeOfHit(hit))}
                    >
                      <Snippet hit={hit} className="min-w-0 flex-1 truncate" />
                      <span className="untrusted max-w-[40%] shrink-0 truncate text-small text-muted">
                        {kindText(hit)} · {plainText(hit.title)}
                      </span>
                    </Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Item(props: {
  value?: string
  icon?: ReactNode
  keys?: string | null
  disabled?: boolean
  onSelect(): void
  children: ReactNode
}) {
  const { value, icon, keys, disabled, onSelect, children } = props
  return (
    <Command.Item
      value={value}
      disabled={disabled}
      onSelect={onSelect}
      className="flex min-h-7 items-center gap-2 rounded-sm px-2 select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0"
    >
      <span className="flex size-4 shrink-0 items-center justify-center text-muted [&>svg]:size-4">
        {icon}
      </span>
      <span className="flex min-w-0 flex-1 items-center gap-2">{children}</span>
      {keys ? (
        <span className="flex gap-1">
          {keys.split(' ').map((key) => (
            <Kbd key={key} keys={keyName(key)} />
          ))}
        </span>
      ) : null}
    </Command.Item>
  )
}
