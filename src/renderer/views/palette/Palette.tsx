import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { Archive, Folder, FolderPlus, Keyboard, Play, Plus, Settings, SunMoon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Task } from '../../../shared/tasks.ts'
import { Kbd, StatusIcon } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { projectRoute, type Route, taskRoute } from '../../store/route.ts'
import { useActions } from '../app/use-actions.ts'
import { useNewAgentKeys } from '../shell/use-new-agent-keys.ts'

/** Agents listed before anything was typed; typing looks through all of them. */
const agentsListedMax = 200

/** Every command and every agent, a few letters away. */
export function Palette() {
  const newAgentKeys = useNewAgentKeys()
  const { overlay, navigation, preferences } = useStores()
  const { startDemo } = useActions()
  const projects = useLedger(useShallow(({ ledger }) => [...ledger.projects.values()]))
  const tasks = useLedger(
    useShallow(({ ledger }) => [...ledger.tasks.values()].slice(-agentsListedMax).toReversed()),
  )
  const go = (route: Route) => {
    overlay.hide()
    navigation.go(route)
  }
  const run = (command: () => void) => () => {
    overlay.hide()
    command()
  }
  const { theme } = preferences.getState()
  const dark =
    theme === 'system'
      ? window.matchMedia('(prefers-color-scheme: dark)').matches
      : theme === 'dark'
  const otherTheme = dark ? 'light' : 'dark'
  return (
    <Dialog.Root open onOpenChange={(open) => !open && overlay.hide()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-md bg-raised text-ink shadow-popup outline-none">
          <Dialog.Title className="sr-only">Commands and agents</Dialog.Title>
          <Command label="Commands and agents" loop>
            <Command.Input
              placeholder="Find a command, a project or an agent"
              className="h-11 w-full border-b bg-transparent px-4 text-read outline-none focus-visible:outline-none"
            />
            <Command.List className="max-h-[56vh] overflow-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-muted">
              <Command.Empty className="px-3 py-6 text-center text-muted">
                Nothing is called that.
              </Command.Empty>
              <Command.Group heading="Commands">
                <Item
                  icon={<Plus />}
                  keys={newAgentKeys}
                  onSelect={() => overlay.show({ kind: 'new-agent', projectId: null })}
                >
                  New agent
                </Item>
                <Item icon={<FolderPlus />} onSelect={() => overlay.show({ kind: 'add-project' })}>
                  Add a project
                </Item>
                <Item icon={<Play />} onSelect={run(() => void startDemo())}>
                  Try the demo
                </Item>
                <Item
                  icon={<Archive />}
                  keys="g a"
                  onSelect={() => go({ screen: 'archive', taskId: null, tab: 'report' })}
                >
                  Open the archive
                </Item>
                <Item icon={<Settings />} keys="g s" onSelect={() => go({ screen: 'settings' })}>
                  Settings
                </Item>
                <Item
                  icon={<SunMoon />}
                  onSelect={run(() => preferences.setState({ theme: otherTheme }))}
                >
                  {otherTheme === 'dark' ? 'Dark theme' : 'Light theme'}
                </Item>
                <Item icon={<Keyboard />} keys="?" onSelect={() => overlay.show({ kind: 'keys' })}>
                  All keys
                </Item>
              </Command.Group>
              {projects.length > 0 ? (
                <Command.Group heading="Projects">
                  {projects.map((project) => (
                    <Item
                      key={project.id}
                      value={`${project.name} ${project.id}`}
                      icon={<Folder />}
                      onSelect={() => go(projectRoute(project.id))}
                    >
                      <span className="untrusted truncate">{project.name}</span>
                    </Item>
                  ))}
                </Command.Group>
              ) : null}
              {tasks.length > 0 ? (
                <Command.Group heading="Agents">
                  {tasks.map((task) => (
                    <Item
                      key={task.id}
                      value={`${task.title} ${task.agent} ${task.id}`}
                      icon={<StatusIcon status={task.status} />}
                      onSelect={() => go(routeOf(task))}
                    >
                      <span className="untrusted min-w-0 flex-1 truncate">{task.title}</span>
                      <span className="shrink-0 text-small text-muted">
                        {task.archived ? 'archived' : task.agent}
                      </span>
                    </Item>
                  ))}
                </Command.Group>
              ) : null}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const routeOf = (task: Task): Route =>
  task.archived ? { screen: 'archive', taskId: task.id, tab: 'report' } : taskRoute(task.id)

function Item(props: {
  value?: string
  icon?: ReactNode
  keys?: string
  onSelect(): void
  children: ReactNode
}) {
  const { value, icon, keys, onSelect, children } = props
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-7 items-center gap-2 rounded-sm px-2 select-none data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0"
    >
      <span className="flex size-4 shrink-0 items-center justify-center text-muted [&>svg]:size-4">
        {icon}
      </span>
      <span className="flex min-w-0 flex-1 items-center gap-2">{children}</span>
      {keys ? (
        <span className="flex gap-1">
          {keys.split(' ').map((key) => (
            <Kbd key={key} keys={key} />
          ))}
        </span>
      ) : null}
    </Command.Item>
  )
}
