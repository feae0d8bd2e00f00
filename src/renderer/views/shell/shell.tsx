import { useEffect } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { withSeen } from '../../store/attention/seen.ts'
import { useLedger, usePreference, useRoute, useStores, useTaskLookup } from '../../store/hooks.ts'
import { sidebarWidthMax, sidebarWidthMin } from '../../store/window/preferences.ts'
import { formatRoute, type Route } from '../../store/window/route.ts'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { ArchiveScreen } from '../archive/archive-screen.tsx'
import { TrashView } from '../archive/trash-view.tsx'
import { TaskScreen } from '../conversation/task-screen.tsx'
import { HomeScreen } from '../home/home-screen.tsx'
import { StatusAnnouncer } from '../notifications/status-announcer.tsx'
import { useNotifications } from '../notifications/use-notifications.ts'
import { DropHint } from '../opened/drop-hint.tsx'
import { OpenedScreen } from '../opened/opened-screen.tsx'
import { useDroppedLog } from '../opened/use-dropped-log.ts'
import { useUnsentAnswers } from '../permissions/unsent-answers.ts'
import { ProjectScreen } from '../projects/project-screen.tsx'
import { ReviewScreen } from '../review/review-screen.tsx'
import { SearchScreen } from '../search/search-screen.tsx'
import { SettingsScreen } from '../settings/settings-screen.tsx'
import { Rail } from '../sidebar/rail.tsx'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { useNeedsYou } from '../sidebar/use-needs-you.ts'
import { TranscriptScreen } from '../transcript/transcript-screen.tsx'
import { ConnectionBanner } from './banner.tsx'
import { UnknownAddress } from './nothing-here.tsx'
import { Notices } from './notices.tsx'
import { Overlays } from './overlays.tsx'
import { Splitter } from './splitter.tsx'
import { useFocusAfterDialog } from './use-focus-after-dialog.ts'
import { useFocusRecovery } from './use-focus-recovery.ts'
import { useKeyListener } from './use-keys.ts'
import { useTypingGuard } from './use-typing-guard.ts'
import { useWide } from './use-wide.ts'
import { useWindowCommands } from './use-window-commands.tsx'

/** Sidebar, the current screen, and the dialog that may lie over them. */
export function Shell() {
  const wide = useWide()
  const route = useRoute()
  const address = formatRoute(route)
  /** The transcript fills the window. */
  const alone = route.screen === 'transcript'
  const hasTranscriptDialog = useHasTranscriptDialog(route)
  const width = usePreference('sidebarWidth')
  const { preferences } = useStores()
  useTypingGuard()
  useUnsentAnswers()
  useKeyListener()
  useWindowCommands()
  useWindowTitle()
  useNotifications()
  const recoverFocus = useFocusRecovery()
  useFocusAfterDialog(recoverFocus)
  useHideOnBack()
  useSeen()
  const isLogOver = useDroppedLog()
  return (
    <div className="flex h-full overflow-hidden">
      {alone ? null : wide ? <Sidebar width={width} /> : <Rail />}
      <main className="relative flex min-w-0 flex-1 flex-col">
        {wide && !alone ? (
          // Inside `main`, because everything has to be in a landmark.
          <div className="absolute inset-y-0 left-0 z-10 flex">
            <Splitter
              label="Width of the sidebar"
              width={width}
              min={sidebarWidthMin}
              max={sidebarWidthMax}
              grows="left"
              onChange={(sidebarWidth) => preferences.setState({ sidebarWidth })}
            />
          </div>
        ) : null}
        <ConnectionBanner />
        <Notices />
        <StatusAnnouncer />
        <ErrorBoundary resetKey={address}>
          <Screen />
        </ErrorBoundary>
      </main>
      {hasTranscriptDialog ? null : <Overlays />}
      {isLogOver ? <DropHint /> : null}
    </div>
  )
}

function Screen() {
  const route = useRoute()
  switch (route.screen) {
    case 'home':
      return <HomeScreen />
    case 'project':
      return <ProjectScreen key={route.projectId} projectId={route.projectId} />
    case 'task':
      return (
        <TaskScreen
          taskId={route.taskId}
          transcriptOf={route.transcriptOf}
          seq={route.seq}
          replaying={route.replay === true}
        />
      )
    case 'archive':
      return (
        <ArchiveScreen
          selected={route.taskId}
          tab={route.tab}
          seq={route.seq}
          replaying={route.replay === true}
        />
      )
    case 'trash':
      return <TrashView />
    case 'review':
      return <ReviewScreen requestedId={route.taskId} path={route.path} />
    case 'transcript':
      return (
        <TranscriptScreen
          requestedId={route.taskId}
          seq={route.seq}
          replaying={route.replay === true}
        />
      )
    case 'search':
      return <SearchScreen query={route.query} />
    case 'settings':
      return <SettingsScreen section={route.section} />
    case 'opened':
      return <OpenedScreen id={route.id} path={route.path} />
    case 'unknown':
      return <UnknownAddress address={route.address} />
  }
}

/** Whether a transcript's dialog is open; it shows the other dialogs above itself. */
function useHasTranscriptDialog(route: Route): boolean {
  const below = useTaskLookup(route.screen === 'task' ? route.taskId : '')
  return route.screen === 'task' && route.transcriptOf !== null && below.kind === 'found'
}

/** Marks the root on screen as seen, also when its run ends while it is shown. */
function useSeen(): void {
  const route = useRoute()
  const { preferences } = useStores()
  const task = useLedger(({ ledger }) =>
    route.screen === 'task' || route.screen === 'review' || route.screen === 'transcript'
      ? (ledger.tasks.get(route.taskId as TaskId) ?? null)
      : null,
  )
  useEffect(() => {
    if (!task) return
    const mark = () => {
      if (document.visibilityState !== 'visible') return
      const { seen } = preferences.getState()
      const after = withSeen(seen, task)
      if (after !== seen) preferences.setState({ seen: after })
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [preferences, task])
}

/** Hides a dialog without an address when the user goes back from the screen below it. */
function useHideOnBack(): void {
  const { overlay } = useStores()
  useEffect(() => {
    window.addEventListener('popstate', overlay.hide)
    return () => window.removeEventListener('popstate', overlay.hide)
  }, [overlay])
}

/** Sets the window's title, which the taskbar and the browser's tabs and history show. */
function useWindowTitle(): void {
  const needs = useNeedsYou().length
  const route = useRoute()
  const shown = useLedger(({ ledger }) => {
    switch (route.screen) {
      case 'task':
      case 'transcript':
        return ledger.tasks.get(route.taskId as TaskId)?.title ?? null
      case 'review': {
        const task = ledger.tasks.get(route.taskId as TaskId)
        return task ? `Review of ${task.title}` : null
      }
      case 'search':
        return route.query.trim() === '' ? 'Search' : `Search: ${route.query.trim()}`
      case 'project':
        return [...ledger.projects.values()].find(({ id }) => id === route.projectId)?.name ?? null
      case 'archive':
        return 'Archive'
      case 'trash':
        return 'Trash'
      case 'settings':
        return 'Settings'
      case 'opened':
        return 'Opened log'
      case 'home':
      case 'unknown':
        return null
    }
  })
  useEffect(() => {
    const name = shown ? `${shown} · Shiplog` : 'Shiplog'
    // The desktop app reads its badge from the number.
    document.title = needs > 0 ? `(${needs}) ${name}` : name
  }, [shown, needs])
}
