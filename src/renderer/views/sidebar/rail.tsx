import { Archive, Folders, House, Plus, Search, Settings, TextSearch } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton, StatusIcon } from '../../components/primitives/index.ts'
import { useInterruptedRows, useRoute, useStores } from '../../store/hooks.ts'
import { formatRoute, homeRoute, searchRoute } from '../../store/window/route.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useNewAgentKeys } from '../shell/use-new-agent-keys.ts'
import { archiveRoute, Sidebar, settingsRoute } from './sidebar.tsx'
import { useNeedsYou } from './use-needs-you.ts'

const sheetWidthPx = 300

const countLabels = (needs: number, interrupted: number): string[] => [
  ...(needs > 0 ? [`${needs} waiting for you`] : []),
  ...(interrupted > 0 ? [`${interrupted} interrupted`] : []),
]

/** The sidebar folded to icons. The tree opens as a sheet, which closes when a row is chosen. */
export function Rail() {
  const newAgentKeys = useNewAgentKeys()
  const { overlay, navigation } = useStores()
  const [open, setOpen] = useState(false)
  const route = useRoute()
  const address = formatRoute(route)
  const interrupted = useInterruptedRows().filter(
    ({ task }) => task.status === 'interrupted',
  ).length
  const needs = useNeedsYou().length
  const sheet = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes it
  useEffect(() => setOpen(false), [address])
  useEffect(() => {
    if (!open) return
    const before = document.activeElement
    // The tree renders its rows after it has measured its height.
    const frame = requestAnimationFrame(() =>
      sheet.current?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus(),
    )
    return () => {
      cancelAnimationFrame(frame)
      // An element outside the sheet already has the focus.
      if (document.activeElement !== document.body) return
      const canReturn =
        before instanceof HTMLElement && before !== document.body && before.isConnected
      ;(canReturn ? before : opener.current)?.focus()
    }
  }, [open])
  useKeys([
    {
      keys: 'p',
      label: 'Projects',
      icon: <Folders />,
      group: 'Everywhere',
      run: () => setOpen(!open),
    },
    ...(open
      ? [
          {
            keys: 'Escape',
            label: 'Close the projects',
            group: 'Everywhere' as const,
            run: () => setOpen(false),
          },
        ]
      : []),
  ])
  return (
    <>
      <nav
        aria-label="Sidebar"
        className="z-30 flex w-11 shrink-0 flex-col items-center gap-1 border-r bg-panel py-2"
      >
        <IconButton
          ref={opener}
          label={['Projects', ...countLabels(needs, interrupted)].join(', ')}
          shortcut="p"
          icon={<Folders />}
          pressed={open}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        {needs > 0 ? (
          <span
            aria-hidden
            className="-mt-1 flex items-center gap-0.5 rounded-sm bg-amber-tint px-1 text-small text-amber"
          >
            <StatusIcon status="waiting" decorative small />
            {needs}
          </span>
        ) : null}
        {interrupted > 0 ? (
          <span aria-hidden className="-mt-1 rounded-sm bg-amber-tint px-1 text-small text-amber">
            {interrupted}
          </span>
        ) : null}
        <IconButton
          label="Search commands and agents"
          shortcut="Mod+K"
          icon={<Search />}
          onClick={() => overlay.show({ kind: 'palette' })}
        />
        <IconButton
          label="New agent"
          shortcut={newAgentKeys}
          icon={<Plus />}
          onClick={() => overlay.show({ kind: 'new-agent', projectId: null })}
        />
        <span className="flex-1" />
        <IconButton
          label="Home"
          icon={<House />}
          pressed={route.screen === 'home'}
          onClick={() => navigation.go(homeRoute)}
        />
        <IconButton
          label="Search"
          shortcut="Mod+Shift+F"
          icon={<TextSearch />}
          pressed={route.screen === 'search'}
          onClick={() => navigation.go(searchRoute)}
        />
        <IconButton
          label="Archive"
          icon={<Archive />}
          pressed={route.screen === 'archive' || route.screen === 'trash'}
          onClick={() => navigation.go(archiveRoute)}
        />
        <IconButton
          label="Settings"
          icon={<Settings />}
          pressed={route.screen === 'settings'}
          onClick={() => navigation.go(settingsRoute)}
        />
      </nav>
      {open ? (
        <>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it as well */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the sheet closes it */}
          <div className="fixed inset-0 z-20 bg-scrim" onClick={() => setOpen(false)} />
          <div ref={sheet} className="fixed inset-y-0 left-11 z-30 flex shadow-popup">
            <Sidebar width={sheetWidthPx} />
          </div>
        </>
      ) : null}
    </>
  )
}
