/** The buttons of a task's card. */
import { Check, Ellipsis, GitMerge, RotateCcw, RotateCw, ScrollText, Square } from 'lucide-react'
import { type ComponentProps, useContext } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  type ShownApply,
  TaskActionsContext,
  TaskLookupContext,
} from '../conversation/task-lookup.ts'
import { Button, IconButton, Menu } from '../primitives/index.ts'
import { canBeResumed, canBeRetried } from './what-next.ts'

export function CardActions(props: {
  taskId: TaskId
  title: string
  /** Null if the task is known only by the result that its parent got. */
  task: Task | null
  apply: ShownApply | null
}) {
  const { taskId, title, task, apply } = props
  const { onViewTranscript, onApply, onStop, onResume, onRetry } = useContext(TaskActionsContext)
  const waiting = useContext(TaskLookupContext).activity(taskId)?.state === 'waiting'
  const applying = apply?.kind === 'applying'
  const applied =
    task?.patch === 'applied' || apply?.kind === 'applied' || apply?.kind === 'already-applied'
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 pl-6 @wide:pl-0">
      {applied ? (
        <span className="flex h-6 items-center gap-1 px-1 text-small text-green">
          <Check aria-hidden className="size-3.5" />
          Changes applied
        </span>
      ) : null}
      {task?.patch === 'ready' && !applied && onApply ? (
        <HostButton
          icon={<GitMerge />}
          busy={applying}
          aria-label={applying ? undefined : `Apply changes of ${title}`}
          onClick={() => onApply(taskId)}
        >
          {applying ? 'Applying…' : 'Apply changes'}
        </HostButton>
      ) : null}
      {task && (isRunning(task.status) || waiting) && onStop ? (
        <HostButton icon={<Square />} aria-label={`Stop ${title}`} onClick={() => onStop(taskId)}>
          Stop
        </HostButton>
      ) : null}
      {task && canBeResumed(task) && !waiting && onResume ? (
        <HostButton
          icon={<RotateCcw />}
          aria-label={`Resume ${title}`}
          data-action="resume"
          onClick={() => onResume(taskId)}
        >
          Resume
        </HostButton>
      ) : null}
      {task && canBeRetried(task) && onRetry ? (
        <HostButton
          icon={<RotateCw />}
          aria-label={`Retry ${title}`}
          onClick={() => onRetry(taskId)}
        >
          Retry
        </HostButton>
      ) : null}
      {onViewTranscript ? (
        <Button
          size="small"
          icon={<ScrollText />}
          aria-label={`View transcript of ${title}`}
          data-action="transcript"
          onClick={() => onViewTranscript(taskId)}
        >
          View transcript
        </Button>
      ) : null}
      {task ? <MoreActions task={task} /> : null}
    </div>
  )
}

/** A button that sends a request: disabled while the host can't be reached. */
function HostButton(props: ComponentProps<typeof Button>) {
  const { unreachable } = useContext(TaskActionsContext)
  return <Button size="small" disabled={unreachable !== undefined} title={unreachable} {...props} />
}

/** The rarely used actions. */
function MoreActions({ task }: { task: Task }) {
  const { menuOf } = useContext(TaskActionsContext)
  if (!menuOf) return null
  return (
    <Menu
      align="end"
      trigger={<IconButton size="small" label={`More for ${task.title}`} icon={<Ellipsis />} />}
      entries={() => menuOf(task)}
    />
  )
}
