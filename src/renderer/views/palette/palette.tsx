import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useFinalFocus } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import type { Route } from '../../store/window/route.ts'
import { AgentGroup, CommandGroups, ProjectGroup, TextGroup } from './palette-groups.tsx'
import { rankedMatches, scoreOf } from './search.ts'
import { usePaletteCommands } from './use-palette-commands.tsx'
import { useSubject } from './use-subject.ts'
import { useTextHits } from './use-text-hits.ts'
import { useTypedEarly } from './use-typed-early.ts'

/** Shown before anything is typed. */
const recentAgentsMax = 6

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
  const popup = useRef<HTMLDivElement>(null)
  const finalFocus = useFinalFocus(popup)
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
  // Before anything is typed, an agent is wanted more often than one of forty commands.
  const agents =
    tasksShown.length > 0 ? (
      <AgentGroup
        heading={query === '' ? 'Recent agents' : 'Agents'}
        tasks={tasksShown}
        labels={projectLabels(projects)}
        onGo={go}
      />
    ) : null
  return (
    <Dialog.Root open onOpenChange={(open) => !open && overlay.hide()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          ref={popup}
          finalFocus={() => !isFocusElsewhere(popup.current) && finalFocus()}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-md bg-raised text-ink shadow-popup outline-none"
        >
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
              {query === '' ? agents : null}
              <CommandGroups groups={groupsShown} onRun={run} />
              {projectsShown.length > 0 ? (
                <ProjectGroup projects={projectsShown} onGo={go} />
              ) : null}
              {query === '' ? null : agents}
              {query === '' ? null : <TextGroup query={query} hits={hits} onGo={go} />}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Some commands move it before the palette is gone. */
function isFocusElsewhere(popup: HTMLElement | null): boolean {
  const { activeElement, body } = document
  return activeElement !== body && popup?.contains(activeElement) === false
}
