import {
  Archive,
  ArchiveRestore,
  Ban,
  CopyPlus,
  ExternalLink,
  FileCheck,
  FileDiff,
  FileDown,
  FileText,
  FolderOpen,
  GitMerge,
  GitPullRequest,
  Hash,
  History,
  Link,
  ListRestart,
  Maximize2,
  Pencil,
  Pin,
  PinOff,
  RotateCcw,
  RotateCw,
  ScrollText,
  Square,
  SquareArrowOutUpRight,
  SquarePen,
  Trash2,
  Undo2,
  Users,
  Wallet,
} from 'lucide-react'
import { undoableApply } from '../../../shared/records/projects/file-updates.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { canBeContinuedWith, canBeRetried } from '../../components/task/what-next.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { hasChangeSummary } from '../../store/results/change-summaries.ts'
import type { Stores } from '../../store/stores.ts'
import { fullScreenRoute, linkTo, projectRoute, taskRoute } from '../../store/window/route.ts'
import { targetName } from '../app/actions/apply-actions.ts'
import type { Actions } from '../app/actions.ts'
import { useActions } from '../app/use-actions.ts'
import type { ResumeActions } from '../resume/resume-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import type { TaskAction } from './action.ts'
import { taskFacts } from './task-facts.ts'

/** Actions that send a request: disabled while the host can't be reached. */
const requesting: ReadonlySet<TaskAction['id']> = new Set<TaskAction['id']>([
  ...(['stop', 'wrap-up', 'resume', 'resume-group', 'restart', 'retry', 'abandon'] as const),
  ...(['continue', 'limits', 'apply', 'undo-apply', 'open-editor', 'open-folder'] as const),
  ...(['link-pull-request', 'rename', 'export', 'pin', 'archive', 'restore'] as const),
  ...(['delete', 'delete-transcript'] as const),
])

interface Context {
  task: Task
  stores: Stores
  actions: Actions
  resuming: ResumeActions
  known: ReturnType<typeof taskFacts>
}

/** Adds an action if `when` is true. */
type Add = (
  when: boolean,
  action: Omit<TaskAction, 'run' | 'disabled' | 'group'>,
  run: () => void,
) => void

const groups: [TaskAction['group'], (add: Add, context: Context) => void][] = [
  ['open', addOpenings],
  ['run', addRunActions],
  ['changes', addChangeActions],
  ['name', addNameActions],
  ['keep', addKeepActions],
]

/** Returns a function that lists the actions that a task has now, by the data in the window. */
export function useTaskActions(): (task: Task) => TaskAction[] {
  const stores = useStores()
  const actions = useActions()
  const resuming = useResumeActions()
  const unreachable = useUnreachable() !== undefined

  return (task) => {
    const context = { task, stores, actions, resuming, known: taskFacts(stores, task) }
    const listed: TaskAction[] = []
    for (const [group, addGroup] of groups)
      addGroup((when, action, run) => {
        if (!when) return
        const disabled = unreachable && requesting.has(action.id)
        listed.push({ ...action, group, run, ...(disabled && { disabled }) })
      }, context)
    return listed
  }
}

function addOpenings(add: Add, { task, stores, actions, known }: Context): void {
  const { appInfo, navigation } = stores
  const { id } = task
  const host = appInfo.store.getState().info?.host ?? null
  add(!known.isOnScreen, { id: 'open', label: 'Open', icon: <ExternalLink /> }, () =>
    navigation.go(taskRoute(id)),
  )
  add(
    known.hasEntries && !known.isItsTranscript,
    { id: 'transcript', label: 'View transcript', icon: <ScrollText />, keys: 't' },
    () => navigation.go({ screen: 'task', taskId: id, transcriptOf: id }),
  )
  add(task.hasReport, { id: 'report', label: 'View report', icon: <FileText /> }, () =>
    navigation.go({ screen: 'archive', taskId: id, tab: 'report' }),
  )
  add(known.hasEntries, { id: 'replay', label: 'Replay', icon: <History /> }, () =>
    navigation.go({ screen: 'task', taskId: id, transcriptOf: id, replay: true }),
  )
  add(
    known.hasEntries,
    { id: 'full-screen', label: 'Transcript in full screen', icon: <Maximize2 /> },
    () => navigation.go(fullScreenRoute(id)),
  )
  add(
    known.hasEntries,
    {
      id: 'new-window',
      label: `Transcript in a new ${host === 'desktop' ? 'window' : 'tab'}`,
      icon: <SquareArrowOutUpRight />,
    },
    () => void actions.openTranscript(id, undefined),
  )
}

function addRunActions(add: Add, { task, stores, actions, resuming, known }: Context): void {
  const { id } = task
  add(
    known.isRunning || known.isWaiting,
    { id: 'stop', label: known.isRunning ? 'Stop' : 'Stop waiting', icon: <Square /> },
    () => void actions.stop(id),
  )
  add(
    known.isRunning,
    { id: 'wrap-up', label: 'Wrap up: report now', icon: <FileCheck /> },
    () => void actions.wrapUp(id),
  )
  add(
    known.isResumable,
    { id: 'resume', label: `Resume${known.more}`, icon: <RotateCcw />, keys: 'r' },
    () => void resuming.resume(id),
  )
  add(
    known.group > 0,
    { id: 'resume-group', label: `Resume parallel group (${known.group})…`, icon: <Users /> },
    () => resuming.resumeGroup(id),
  )
  add(
    task.status === 'interrupted' && known.isResumable && !task.archived,
    { id: 'restart', label: 'Restart…', icon: <ListRestart /> },
    () => resuming.restart(id),
  )
  add(
    canBeRetried(task),
    { id: 'retry', label: 'Retry', icon: <RotateCw /> },
    () => void resuming.retry(id),
  )
  add(
    known.isResumable && !task.archived,
    { id: 'abandon', label: 'Abandon…', icon: <Ban /> },
    () => resuming.abandon(id),
  )
  add(
    canBeContinuedWith(task),
    {
      id: 'continue',
      label: task.imported ? 'Continue in Shiplog…' : 'Continue with…',
      icon: <CopyPlus />,
    },
    () => resuming.continueFrom(id),
  )
  add(known.isRoot && !known.isRemoved, { id: 'limits', label: 'Limits…', icon: <Wallet /> }, () =>
    stores.overlay.show({ kind: 'budget', taskId: id }),
  )
}

function addChangeActions(add: Add, { task, stores, actions, known }: Context): void {
  const { changeSummaries, navigation, overlay } = stores
  const { id } = task
  const changes = hasChangeSummary(task) ? changeSummaries.store.getState().get(id) : undefined
  const hasChanges = changes !== undefined && changes.files > 0
  add(hasChanges, { id: 'review', label: 'Review changes', icon: <FileDiff /> }, () =>
    navigation.go({ screen: 'review', taskId: id, path: null }),
  )
  add(
    hasChanges ? !changes.applied : task.patch === 'ready',
    {
      id: 'apply',
      label: `Apply changes to ${targetName(task, changes?.branch)}`,
      icon: <GitMerge />,
    },
    () => void actions.applyPatch(id),
  )
  add(
    undoableApply(task, Date.now()) !== null,
    { id: 'undo-apply', label: 'Undo the last apply', icon: <Undo2 /> },
    () => void actions.undoApply(id),
  )
  add(
    known.hasFolder,
    { id: 'open-editor', label: 'Open in editor', icon: <SquarePen /> },
    () => void actions.openFolder(id, 'editor'),
  )
  add(
    known.hasFolder,
    { id: 'open-folder', label: 'Open folder', icon: <FolderOpen /> },
    () => void actions.openFolder(id, 'file-manager'),
  )
  // A task whose folder was removed is archived, where it is linked to what started it.
  add(
    task.hasTranscript && known.hasFolder,
    { id: 'link-pull-request', label: 'Link pull request…', icon: <GitPullRequest /> },
    () => overlay.show({ kind: 'link-pull-request', taskId: id }),
  )
}

function addNameActions(add: Add, { task, stores, actions, known }: Context): void {
  const { overlay } = stores
  const { id } = task
  add(known.isRoot, { id: 'rename', label: 'Rename…', icon: <Pencil /> }, () =>
    overlay.show({ kind: 'rename', taskId: id }),
  )
  add(
    task.hasTranscript || task.hasReport,
    { id: 'export', label: 'Export…', icon: <FileDown /> },
    () => overlay.show({ kind: 'export', taskId: id }),
  )
  add(
    true,
    { id: 'copy-link', label: 'Copy link', icon: <Link /> },
    () => void actions.copy(linkTo(taskRoute(id)), 'the link'),
  )
  add(
    true,
    { id: 'copy-id', label: 'Copy ID', icon: <Hash /> },
    () => void actions.copy(id, 'the ID'),
  )
}

function addKeepActions(add: Add, { task, stores, actions, known }: Context): void {
  const { id, title } = task
  add(
    true,
    task.pinned
      ? { id: 'pin', label: 'Unpin', icon: <PinOff /> }
      : { id: 'pin', label: 'Pin: never expires', icon: <Pin /> },
    () => void actions.pin(id, !task.pinned),
  )
  add(
    known.hasFolder,
    {
      id: 'archive',
      label: known.isRunning ? 'Stop and archive' : 'Archive',
      icon: <Archive />,
    },
    () => void archive(stores, actions.removeWorkspace, task),
  )
  add(
    task.archived && known.isRoot && !task.imported,
    { id: 'restore', label: 'Restore from the archive', icon: <ArchiveRestore /> },
    () => void actions.restore(id, title),
  )
  add(
    task.archived && known.isRoot,
    { id: 'delete', label: 'Delete', icon: <Trash2 /> },
    () => void actions.trash(id, title),
  )
  add(
    task.archived && !known.isRoot && known.hasEntries,
    { id: 'delete-transcript', label: 'Delete transcript', icon: <Trash2 /> },
    () => void actions.deleteTranscript(id, title),
  )
}

/** Archives a root. If its own screen is shown, the window moves to its project. */
async function archive(
  { navigation }: Stores,
  removeWorkspace: Actions['removeWorkspace'],
  { id, title, parentId, projectId }: Task,
): Promise<void> {
  if (!(await removeWorkspace(id, title)) || parentId !== null) return
  const route = navigation.route.getState()
  if (route.screen === 'task' && route.taskId === id) navigation.go(projectRoute(projectId))
}
