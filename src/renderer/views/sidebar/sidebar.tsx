import {
  Archive,
  FolderPlus,
  House,
  ListFilter,
  Plus,
  Search,
  Settings,
  TextSearch,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton, Menu, TextButton, TextInput } from '../../components/primitives/index.ts'
import { usePreference, useRoute, useStores } from '../../store/hooks.ts'
import { formatRoute, homeRoute, type Route, searchRoute } from '../../store/window/route.ts'
import { useNewAgentKeys } from '../shell/use-new-agent-keys.ts'
import { InterruptedList } from './interrupted-list.tsx'
import { NeedsYou } from './needs-you.tsx'
import { ProjectTree } from './project-tree.tsx'
import type { AgentFilter } from './rows.ts'
import { usePointerInside } from './use-held-rows.ts'

export const archiveRoute: Route = { screen: 'archive', taskId: null, tab: 'report' }
export const settingsRoute: Route = { screen: 'settings', section: null }

/** Projects with their live agents, the interrupted agents, and links to the other screens. */
export function Sidebar({ width }: { width: number }) {
  const pointer = usePointerInside()
  /** Null: agents are not filtered by text. */
  const [text, setText] = useState<string | null>(null)
  return (
    <nav
      aria-label="Sidebar"
      {...pointer.handlers}
      style={{ width }}
      className="flex min-h-0 shrink-0 flex-col bg-panel"
    >
      <Top onFind={() => setText((before) => before ?? '')} />
      <NeedsYou isHeld={pointer.isInside} />
      <FilterLine />
      {text === null ? null : <FindLine text={text} onChange={setText} />}
      <ProjectTree text={text ?? ''} />
      <InterruptedList />
      <div className="shrink-0 border-t py-1">
        <NavRow route={homeRoute} icon={<House />}>
          Home
        </NavRow>
        <NavRow route={searchRoute} icon={<TextSearch />}>
          Search
        </NavRow>
        <NavRow route={archiveRoute} icon={<Archive />}>
          Archive
        </NavRow>
        <NavRow route={settingsRoute} icon={<Settings />}>
          Settings
        </NavRow>
      </div>
    </nav>
  )
}

const filters: { value: AgentFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'needs-you', label: 'Needs you' },
  { value: 'at-work', label: 'Running' },
  { value: 'interrupted', label: 'Interrupted' },
  { value: 'finished', label: 'Finished' },
]

const labelOf = (filter: AgentFilter): string | undefined =>
  filters.find(({ value }) => value === filter)?.label.toLowerCase()

const isFilter = (value: string): value is AgentFilter =>
  filters.some((filter) => filter.value === value)

/** Says that a filter hides rows, because the filter is kept across restarts. */
function FilterLine() {
  const { preferences } = useStores()
  const filter = usePreference('agentFilter')
  if (filter === 'all') return null
  return (
    <p className="flex h-7 shrink-0 items-center gap-2 bg-accent-tint px-4 text-small">
      <span className="flex-1 truncate">Only {labelOf(filter)}</span>
      <TextButton onClick={() => preferences.setState({ agentFilter: 'all' })}>Show all</TextButton>
    </p>
  )
}

/** Filters the agents by their titles. Escape or an empty field ends it. */
function FindLine(props: { text: string; onChange(text: string | null): void }) {
  const { text, onChange } = props
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // The menu that opened it gives the focus back to its button as it closes.
    const timer = setTimeout(() => field.current?.focus(), focusAfterMenuMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="shrink-0 px-2 pb-1">
      <TextInput
        ref={field}
        type="search"
        aria-label="Filter agents by text"
        placeholder="Filter by title or agent"
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => text === '' && onChange(null)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          onChange(null)
        }}
      />
    </div>
  )
}

const focusAfterMenuMs = 100

function Top({ onFind }: { onFind(): void }) {
  const { overlay, preferences } = useStores()
  const filter = usePreference('agentFilter')
  const newAgentKeys = useNewAgentKeys()
  return (
    <div className="flex h-11 shrink-0 items-center gap-0.5 pr-2 pl-4">
      <span
        className="flex-1 text-small font-semibold text-muted"
        title="By name. The agents of each project are listed newest first."
      >
        Projects
      </span>
      <IconButton
        label="Search commands and agents"
        shortcut="Mod+K"
        icon={<Search />}
        onClick={() => overlay.show({ kind: 'palette' })}
      />
      <Menu
        align="end"
        trigger={
          <IconButton
            label={filter === 'all' ? 'Filter agents' : `Only ${labelOf(filter)} agents are shown`}
            icon={<ListFilter />}
            pressed={filter === 'all' ? undefined : true}
          />
        }
        entries={[
          { label: 'By text…', icon: <Search />, onSelect: onFind },
          { kind: 'separator' },
          {
            kind: 'choice',
            value: filter,
            options: filters,
            onChange: (value) => isFilter(value) && preferences.setState({ agentFilter: value }),
          },
        ]}
      />
      <IconButton
        label="Add a project"
        icon={<FolderPlus />}
        onClick={() => overlay.show({ kind: 'add-project' })}
      />
      <IconButton
        label="New agent"
        shortcut={newAgentKeys}
        icon={<Plus />}
        onClick={() => overlay.show({ kind: 'new-agent', projectId: null })}
      />
    </div>
  )
}

function NavRow(props: { route: Route; icon: ReactNode; children: ReactNode }) {
  const { route, icon, children } = props
  const { screen } = useRoute()
  const current = (screen === 'trash' ? 'archive' : screen) === route.screen
  return (
    <a
      href={formatRoute(route)}
      aria-current={current ? 'page' : undefined}
      className={`focus-inset flex h-7 items-center gap-2 px-4 [&>svg]:size-4 [&>svg]:text-muted ${current ? 'bg-accent-tint' : 'hover:bg-hover'}`}
    >
      {icon}
      {children}
    </a>
  )
}
