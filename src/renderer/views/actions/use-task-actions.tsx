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
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { canBeContinuedWith, canBeResumed, canBeRetried } from '../../components/task/what-next.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { hasChangeSummary } from '../../store/results/change-summaries.ts'
import { isResumable, isWaiting, resumableBelow } from '../../store/resume/resumable.ts'
import { resumableGroup } from '../../store/resume/resumable-group.ts'
import type { Stores } from '../../store/stores.ts'
import { fullScreenRoute, linkOf, projectRoute, taskRoute } from '../../store/window/route.ts'
import { targetName } from '../app/actions/apply-actions.ts'
import type { Actions } from '../app/actions.ts'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import type { TaskAction } from './action.ts'

/** Actions that need an answer of the host: disabled while it can't be reached. */
const requesting: ReadonlySet<TaskAction['id']> = new Set<TaskAction['id']>([
  ...(['stop', 'wrap-up', 'resume', 'resume-group', 'restart', 'retry', 'abandon'] as const),
  ...(['continue', 'limits', 'apply', 'undo-apply', 'open-editor', 'open-folder'] as const),
  ...(['link-pull-request', 'rename', 'export', 'pin', 'archive', 'restore'] as const),
  ...(['delete', 'delete-transcript'] as const),
])

/** Returns a function that lists what can be done with a task now, as far as the window knows. */
export function useTaskActions(): (task: Task) => TaskAction[] {
  const stores = useStores()
  const actions = useActions()
  const resuming = useResumeActions()
  const unreachable = useUnreachable() !== undefined

  return (task) => {
    const { navigation, overlay, changeSummaries, appInfo } = stores
    const { id, title } = task
    const known = facts(stores, task)
    const host = appInfo.store.getState().info?.host ?? null
    const changes = hasChangeSummary(task) ? changeSummaries.store.getState().get(id) : undefined
    const hasChanges = changes !== undefined && changes.files > 0
    const listed: TaskAction[] = []
    const add = (
      when: boolean,
      action: Omit<TaskAction, 'run' | 'disabled' | 'group'>,
      run: () => void,
    ) => {
      if (!when) return
      const disabled = unreachable && requesting.has(action.id)
      listed.push({ ...action, group, run, ...(disabled && { disabled }) })
    }

    let group: TaskAction['group'] = 'open'
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

    group = 'run'
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
      { id: 'restart', label: `Restart${known.more}`, icon: <ListRestart /> },
      () => void resuming.restart(id),
    )
    add(
      canBeRetried(task),
      { id: 'retry', label: 'Retry', icon: <RotateCw /> },
      () => void resuming.retry(id),
    )
    add(
      known.isResumable && !task.archived,
      { id: 'abandon', label: `Abandon${known.more}`, icon: <Ban /> },
      () => void resuming.giveUp(id),
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
    add(
      known.isRoot && !known.isRemoved,
      { id: 'limits', label: 'Limits…', icon: <Wallet /> },
      () => overlay.show({ kind: 'budget', taskId: id }),
    )

    group = 'changes'
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
    // A removed one is archived: it is linked to what started it.
    add(
      task.hasTranscript && known.hasFolder,
      { id: 'link-pull-request', label: 'Link pull request…', icon: <GitPullRequest /> },
      () => overlay.show({ kind: 'link-pull-request', taskId: id }),
    )

    group = 'name'
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
      () => void actions.copy(linkOf(taskRoute(id), host, location), 'the link'),
    )
    add(
      true,
      { id: 'copy-id', label: 'Copy ID', icon: <Hash /> },
      () => void actions.copy(id, 'the ID'),
    )

    group = 'keep'
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
    return listed
  }
}

function facts({ ledger, navigation }: Stores, task: Task) {
  const { id } = task
  const state = ledger.store.getState()
  const { tasks } = state.ledger
  const route = navigation.route.getState()
  const waiting = isWaiting(task, state.activity.get(id) ?? null)
  const resumable = !waiting && (canBeResumed(task) || isResumable(tasks, task))
  return {
    isRoot: task.parentId === null,
    isRunning: isRunning(task.status),
    isWaiting: waiting,
    isResumable: resumable,
    isRemoved: task.archived || (task.workspace?.removal ?? null) !== null,
    hasFolder: task.workspace !== null && task.workspace.removal === null,
    hasEntries: task.hasTranscript && task.transcriptExpired === null,
    isOnScreen: route.screen === 'task' && route.taskId === id && route.transcriptOf === null,
    isItsTranscript:
      (route.screen === 'task' && (route.transcriptOf ?? route.taskId) === id) ||
      (route.screen === 'transcript' && route.taskId === id),
    group: resumable && !task.archived ? resumableGroup(state.ledger, id).length : 0,
    /** With others below it a dialog is opened first. */
    more: resumable && resumableBelow(tasks, id).length > 0 ? '…' : '',
  }
}

/** A root that is archived from its own screen leaves its project there. */
async function archive(
  { navigation }: Stores,
  removeWorkspace: Actions['removeWorkspace'],
  { id, title, parentId, projectId }: Task,
): Promise<void> {
  if (!(await removeWorkspace(id, title)) || parentId !== null) return
  const route = navigation.route.getState()
  if (route.screen === 'task' && route.taskId === id) navigation.go(projectRoute(projectId))
}
