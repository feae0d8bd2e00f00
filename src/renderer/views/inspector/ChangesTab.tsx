import { Check, FolderOpen, GitMerge, RefreshCw, SquarePen } from 'lucide-react'
import { useStore } from 'zustand'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { isRunning, type Task } from '../../../shared/tasks.ts'
import {
  Button,
  EmptyState,
  IconButton,
  NoticeLine,
  Skeleton,
} from '../../components/primitives/index.ts'
import { useProject, useStores } from '../../store/hooks.ts'
import { countOf } from '../app/actions.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import { useActions } from '../app/use-actions.ts'
import { FileChanges } from './FileChanges.tsx'
import { useDiff } from './use-diff.ts'

/** What the workspace changed since it was made, and the way out of it: apply, or open the folder. */
export function ChangesTab({ task }: { task: Task }) {
  const project = useProject(task.projectId)
  const { workspace } = task
  if (project && !project.git)
    return (
      <EmptyState sentence="The project is not a Git repository: agents work in the folder itself, and there is nothing to compare with." />
    )
  if (!workspace) return <EmptyState sentence="It has no workspace yet." />
  if (workspace.isolation === 'in-place')
    return (
      <EmptyState sentence="It works in the folder itself, so its changes are where they belong already." />
    )
  if (workspace.removal)
    return (
      <EmptyState
        sentence={
          task.patch === 'applied'
            ? 'Its changes were applied, and its worktree was cleaned up.'
            : 'Its worktree was cleaned up. Its changes are kept as a patch.'
        }
      >
        {task.patch === 'ready' ? <ApplyButton task={task} target={null} /> : null}
      </EmptyState>
    )
  return <Changes task={task} />
}

function Changes({ task }: { task: Task }) {
  const { diff, problem, loading, refresh } = useDiff(task)
  const { openFolder } = useActions()
  if (!diff && !problem) return <Skeleton className="p-4" />
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        {diff && diff.files.length > 0 ? <ApplyButton task={task} target={diff.target} /> : null}
        {task.patch === 'applied' ? (
          <span className="flex items-center gap-1 text-small text-green">
            <Check aria-hidden className="size-3.5" />
            Applied
          </span>
        ) : null}
        <span className="flex-1" />
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
        <IconButton
          label="Read the changes again"
          icon={<RefreshCw />}
          aria-busy={loading}
          onClick={refresh}
        />
      </div>
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
            isRunning(task.status)
              ? 'It has changed no file yet.'
              : 'There is nothing here that its target does not have.'
          }
        />
      ) : null}
      {diff && diff.files.length > 0 ? <FileChanges diff={diff} /> : null}
    </div>
  )
}

function ApplyButton({ task, target }: { task: Task; target: WorkspaceDiff['target'] | null }) {
  const { applies } = useStores()
  const { applyPatch } = useActions()
  const view = useStore(applies.store, (known) => known.get(task.id))
  const running = isRunning(task.status)
  const applied = task.patch === 'applied'
  const where = target?.branch ?? (task.parentId ? 'the parent’s worktree' : 'the project')
  return (
    <Button
      variant={applied ? 'quiet' : 'primary'}
      icon={<GitMerge />}
      busy={view?.kind === 'applying'}
      disabled={running}
      title={running ? 'The agent is still at work' : target?.path}
      onClick={() => void applyPatch(task.id)}
    >
      Apply to {where}
    </Button>
  )
}

/** A conflict stays to be read; a toast would be gone. */
function ApplyOutcomeNote({ task }: { task: Task }) {
  const { applies } = useStores()
  const view = useStore(applies.store, (known) => known.get(task.id))
  const dismiss = () => applies.forget(task.id)
  switch (view?.kind) {
    case 'conflict':
      return (
        <NoticeLine
          tone="warning"
          className="border-b px-4"
          text={`Conflicts in ${countOf(view.paths.length, 'file')}; nothing was changed. Bring the branches together in the editor, then apply again.`}
          details={[...view.paths, view.message]}
          onDismiss={dismiss}
        />
      )
    case 'failed':
      return <ProblemNotice problem={view.problem} className="m-4" />
    default:
      return null
  }
}
