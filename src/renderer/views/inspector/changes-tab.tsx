import { Check, FolderOpen, GitMerge, Maximize2, RefreshCw, SquarePen } from 'lucide-react'
import { useStore } from 'zustand'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { undoableApply } from '../../../shared/records/projects/file-updates.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { AppliedLine } from '../../components/diff/applied-line.tsx'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  EmptyState,
  IconButton,
  NoticeLine,
  Skeleton,
} from '../../components/primitives/index.ts'
import { useConnectionLost, useProject, useStores, useUnreachable } from '../../store/hooks.ts'
import { isInTarget } from '../../store/results/change-summaries.ts'
import { targetName } from '../app/actions/apply-actions.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { FileChanges } from './file-changes.tsx'
import { useComparison } from './use-comparison.ts'
import { useDiff } from './use-diff.ts'

/** The files that the workspace changed since its base commit, with Apply, Open in editor and Open folder. */
export function ChangesTab({ task }: { task: Task }) {
  const project = useProject(task.projectId)
  const { workspace } = task
  if (project && !project.git)
    return (
      <EmptyState sentence="This project is not a Git repository. Agents edit the folder directly, so there is nothing to compare." />
    )
  if (!workspace) return <EmptyState sentence="No workspace yet." />
  if (workspace.isolation === 'in-place')
    return (
      <EmptyState sentence="This agent edits the project folder directly. Its changes are already there." />
    )
  if (workspace.removal)
    return (
      <EmptyState sentence={removedTexts[task.patch]}>
        {task.patch === 'ready' ? <ApplyButton task={task} diff={null} /> : null}
        <Applied task={task} target={targetName(task)} />
      </EmptyState>
    )
  return <Changes task={task} />
}

/** Shown after the worktree was removed, by the status of its patch. */
const removedTexts: Record<Task['patch'], string> = {
  none: 'The worktree was removed. The agent changed no files.',
  pending: 'The worktree was removed. The changes are being saved as a patch.',
  ready: 'The worktree was removed. The changes are kept as a patch.',
  applied: 'The changes were applied and the worktree was removed.',
  failed: 'The worktree was removed, and its changes could not be kept as a patch.',
}

function Changes({ task }: { task: Task }) {
  const { diff, problem, loading, refresh } = useDiff(task)
  const comparison = useComparison(task, diff)
  const { openFolder } = useActions()
  const { navigation } = useStores()
  const lost = useConnectionLost()
  if (!diff && !problem && lost) return <EmptyState sentence="Changes load once connected." />
  if (!diff && !problem) return <Skeleton className="p-4" />
  return (
    <div className="flex flex-col">
      <div className="flex items-center border-b px-4 py-2">
        <span className="mr-2 flex min-w-0 flex-1">
          {diff && (diff.files.length > 0 || task.patch === 'applied') ? (
            <ApplyButton task={task} diff={diff} comparison={comparison} />
          ) : null}
        </span>
        <IconButton
          label="Review on the full screen"
          icon={<Maximize2 />}
          onClick={() => navigation.go({ screen: 'review', taskId: task.id, path: null })}
        />
        <IconButton
          label="Open in editor"
          icon={<SquarePen />}
          onClick={() => void openFolder(task.id, 'editor')}
        />
        <IconButton
          label="Open folder"
          icon={<FolderOpen />}
          onClick={() => void openFolder(task.id, 'file-manager')}
        />
        <IconButton label="Refresh" icon={<RefreshCw />} aria-busy={loading} onClick={refresh} />
      </div>
      <Applied task={task} target={targetName(task, diff?.target.branch)} />
      <ApplyOutcomeNote task={task} />
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={{ label: 'Try again', onClick: refresh }}
          className="m-4"
        />
      ) : null}
      {diff && diff.files.length === 0 ? (
        <EmptyState
          sentence={
            isRunning(task.status) ? 'No files changed yet.' : 'The agent changed no files.'
          }
        />
      ) : null}
      {diff && diff.files.length > 0 ? <FileChanges taskId={task.id} diff={diff} /> : null}
    </div>
  )
}

export function ApplyButton(props: {
  task: Task
  diff: WorkspaceDiff | null
  /** Null: not known. */
  comparison?: TargetComparison | null
}) {
  const { task, diff, comparison = null } = props
  const { applies } = useStores()
  const { applyPatch } = useActions()
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const view = useStore(applies.store, (known) => known.get(task.id))
  const conflicts = comparison?.conflicts.length ?? 0
  // Until it is compared, what the ledger knows: nothing of the target's own changes since.
  const applied = comparison ? isInTarget(comparison) : task.patch === 'applied'
  const running = isRunning(task.status)
  const where = targetName(task, diff?.target.branch)
  const label = applied ? 'Applied' : `Apply to ${where}`
  return (
    <Button
      variant={applied || conflicts > 0 ? 'quiet' : 'primary'}
      icon={applied ? <Check className="text-green" /> : <GitMerge />}
      busy={view?.kind === 'applying'}
      done={applied}
      disabled={running || lost}
      title={
        lost
          ? unreachable
          : applied
            ? `Already in ${targetName(task)}, not committed`
            : running
              ? 'The agent is still running'
              : conflicts > 0
                ? `${counted(conflicts, 'file conflicts', 'files conflict')} with ${where}`
                : diff?.target.path
      }
      className="min-w-0 shrink!"
      onClick={() => void applyPatch(task.id, where)}
    >
      <span className="truncate">{label}</span>
    </Button>
  )
}

/** Where the applied changes are, with Undo. */
export function Applied({ task, target }: { task: Task; target: string }) {
  const { applies } = useStores()
  const { undoApply } = useActions()
  const unreachable = useUnreachable()
  const view = useStore(applies.store, (known) => known.get(task.id))
  const applied = undoableApply(task, Date.now())
  if (!applied) return null
  return (
    <AppliedLine
      files={applied.files}
      target={target}
      at={applied.doneAt ?? applied.startedAt}
      undoing={view?.kind === 'undoing'}
      notNow={unreachable ?? null}
      changedSince={view?.kind === 'changed-since' ? view.paths : null}
      onUndo={() => void undoApply(task.id)}
      onDismiss={() => applies.forget(task.id)}
    />
  )
}

/** Shown in the tab, because a toast would disappear before a conflict is read. */
export function ApplyOutcomeNote({ task }: { task: Task }) {
  const { applies, navigation } = useStores()
  const view = useStore(applies.store, (known) => known.get(task.id))
  const dismiss = () => applies.forget(task.id)
  switch (view?.kind) {
    case 'conflict':
      return (
        <NoticeLine
          tone="warning"
          className="border-b px-4"
          text={`Conflicts in ${counted(view.paths.length, 'file')}; nothing was changed. Review the changes to see both sides, and to apply the other files.`}
          action={{
            label: 'Review',
            onClick: () =>
              navigation.go({ screen: 'review', taskId: task.id, path: view.paths[0] ?? null }),
          }}
          details={[...new Set([...view.paths, ...view.message.split('\n').slice(1)])].filter(
            (line) => line.trim() !== '',
          )}
          onDismiss={dismiss}
        />
      )
    case 'failed':
      return <ProblemNotice problem={view.problem} className="m-4" />
    default:
      return null
  }
}
