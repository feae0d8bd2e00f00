import {
  Archive,
  FileInput,
  FolderPlus,
  House,
  Import,
  Keyboard,
  ListFilter,
  PanelsTopLeft,
  Play,
  Plus,
  RotateCcw,
  Search,
  Settings,
  SunMoon,
  TextSearch,
  Trash2,
} from 'lucide-react'
import type { TaskId } from '../../../shared/records/ids.ts'
import {
  useInterruptedRows,
  useLedger,
  usePreference,
  useRoute,
  useStores,
} from '../../store/hooks.ts'
import type { KeyCommand } from '../../store/window/keys.ts'
import { homeRoute, type Route, searchRoute, trashRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import { useChooseLog } from '../opened/use-dropped-log.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { focusNextPane } from './panes.ts'
import { useKeys } from './use-keys.ts'
import { useMedia } from './use-media.ts'
import { useNewAgentKeys } from './use-new-agent-keys.ts'

const archiveRoute: Route = { screen: 'archive', taskId: null, tab: 'report' }

/** Registers the commands that the window has on every screen. */
export function useWindowCommands(): void {
  const { overlay, navigation, preferences } = useStores()
  const { startDemo } = useActions()
  const { resumeAll } = useResumeActions()
  const chooseLog = useChooseLog()
  const projectId = useRouteProject()
  const newAgentKeys = useNewAgentKeys().replace('N', 'n')
  const interrupted = useInterruptedRows().length
  const filter = usePreference('agentFilter')
  const everywhere = (command: Omit<KeyCommand, 'group'>): KeyCommand => ({
    ...command,
    group: 'Everywhere',
  })
  const palette = everywhere({
    keys: 'Mod+k',
    label: 'Search commands and agents',
    icon: <Search />,
    inPalette: false,
    run: () => overlay.show({ kind: 'palette' }),
  })
  const shortcuts = everywhere({
    keys: '?',
    label: 'Keyboard shortcuts',
    icon: <Keyboard />,
    run: () => overlay.show({ kind: 'keys' }),
  })
  useKeys([
    palette,
    everywhere({
      keys: newAgentKeys,
      label: 'New agent',
      icon: <Plus />,
      run: () => overlay.show({ kind: 'new-agent', projectId }),
    }),
    everywhere({
      keys: null,
      label: 'Add a project',
      icon: <FolderPlus />,
      run: () => overlay.show({ kind: 'add-project' }),
    }),
    everywhere({
      keys: null,
      label: 'Import sessions…',
      icon: <Import />,
      run: () => overlay.show({ kind: 'import' }),
    }),
    everywhere({
      keys: null,
      label: 'Open a log…',
      icon: <FileInput />,
      run: chooseLog,
    }),
    everywhere({
      keys: null,
      label: 'Try the demo',
      icon: <Play />,
      run: () => void startDemo(),
    }),
    everywhere({
      keys: 'Mod+Shift+f',
      label: 'Search',
      icon: <TextSearch />,
      run: () => navigation.go(searchRoute),
    }),
    everywhere({
      keys: 'g a',
      label: 'Archive',
      icon: <Archive />,
      run: () => navigation.go(archiveRoute),
    }),
    everywhere({
      keys: 'g s',
      label: 'Settings',
      icon: <Settings />,
      run: () => navigation.go({ screen: 'settings', section: null }),
    }),
    everywhere({
      keys: 'g h',
      label: 'Home',
      icon: <House />,
      run: () => navigation.go(homeRoute),
    }),
    everywhere({
      keys: null,
      label: 'Trash',
      icon: <Trash2 />,
      run: () => navigation.go(trashRoute),
    }),
    ...(interrupted > 0
      ? [
          everywhere({
            keys: null,
            label: 'Resume all interrupted agents…',
            icon: <RotateCcw />,
            run: resumeAll,
          }),
        ]
      : []),
    ...filterChoices
      .filter(({ value }) => value !== filter)
      .map(({ value, label }) =>
        everywhere({
          keys: null,
          label,
          icon: <ListFilter />,
          run: () => preferences.setState({ agentFilter: value }),
        }),
      ),
    ...useThemeCommands().map(everywhere),
    shortcuts,
    everywhere({
      keys: 'F6',
      label: 'Next pane',
      icon: <PanelsTopLeft />,
      inPalette: false,
      run: () => focusNextPane(),
    }),
    // Registered for a transcript's dialog as well.
    { ...palette, scope: 'dialog' },
    { ...shortcuts, scope: 'dialog' },
  ])
}

const filterChoices = [
  { value: 'all', label: 'Show all agents' },
  { value: 'needs-you', label: 'Show only agents that need you' },
  { value: 'at-work', label: 'Show only running agents' },
  { value: 'interrupted', label: 'Show only interrupted agents' },
  { value: 'finished', label: 'Show only finished agents' },
] as const

/** Commands that change the theme, without the one that is shown now. */
function useThemeCommands(): Omit<KeyCommand, 'group'>[] {
  const { preferences } = useStores()
  const theme = usePreference('theme')
  const isDark = useMedia('(prefers-color-scheme: dark)')
  const shown = theme === 'system' ? (isDark ? 'dark' : 'light') : theme
  const choices = [
    { value: 'light', label: 'Light theme' },
    { value: 'dark', label: 'Dark theme' },
    { value: 'system', label: 'Match the theme of the system' },
  ] as const
  return choices
    .filter(({ value }) => value !== theme && value !== shown)
    .map(({ value, label }) => ({
      keys: null,
      label,
      icon: <SunMoon />,
      run: () => preferences.setState({ theme: value }),
    }))
}

/** The project on screen, in which a new agent starts. */
function useRouteProject() {
  const route = useRoute()
  return useLedger(({ ledger }) => {
    if (route.screen === 'project')
      return [...ledger.projects.keys()].find((id) => id === route.projectId) ?? null
    if (route.screen === 'task' || route.screen === 'transcript')
      return ledger.tasks.get(route.taskId as TaskId)?.projectId ?? null
    return null
  })
}
