import { useContext } from 'react'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { activityLine } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { taskDepthMax } from '../../../shared/records/tasks/tree-options.ts'
import { TaskLookupContext } from '../conversation/task-lookup.ts'
import { StatusIcon, statusLabel, TitleText } from '../primitives/index.ts'
import { plainCause } from './plain-cause.ts'
import { shownStatus } from './shown-status.ts'
import { Silence } from './silence.tsx'
import { sleepText } from './sleep-text.ts'
import { TaskElapsed } from './task-elapsed.tsx'
import { ViewTranscriptButton } from './view-transcript-button.tsx'

/** The tasks below a card's, as one indented tree. Renders nothing if there are none. */
export function NestedTasks({ parentId }: { parentId: TaskId }) {
  const lookup = useContext(TaskLookupContext)
  const children = lookup.childrenOf(parentId)
  if (children.length === 0) return null
  return (
    <div className="border-t py-1 pr-3 pl-9">
      <NestedList tasks={children} level={1} />
    </div>
  )
}

function NestedList({ tasks, level }: { tasks: Task[]; level: number }) {
  return (
    <ul className={level > 1 ? 'ml-2 border-l pl-3' : undefined}>
      {tasks.map((task) => (
        <NestedTask key={task.id} task={task} level={level} />
      ))}
    </ul>
  )
}

function NestedTask({ task, level }: { task: Task; level: number }) {
  const lookup = useContext(TaskLookupContext)
  const root = lookup.byId(task.rootId)
  const status = shownStatus(task, root, lookup.activity(task.id))
  const sleep = sleepOf(task, root)
  const children = level < taskDepthMax ? lookup.childrenOf(task.id) : []
  const doing = isRunning(task.status)
    ? activityLine(lookup.activity(task.id))
    : task.status === 'completed'
      ? ownReportTitle(task)
      : sleep
        ? sleepText(sleep)
        : task.cause
          ? plainCause(task.cause)
          : statusLabel(status)
  return (
    <li>
      <div className="flex min-h-7 items-center gap-2">
        <StatusIcon status={status} />
        <TitleText title={task.title} className="max-w-[50%] shrink-0" />
        <span className="min-w-0 flex-1 truncate text-small text-muted" title={doing ?? undefined}>
          {doing}
        </span>
        <Silence activity={lookup.activity(task.id)} className="shrink-0 text-small" />
        <TaskElapsed task={task} className="shrink-0 text-small text-muted" />
        <ViewTranscriptButton taskId={task.id} title={task.title} iconIfNarrow />
      </div>
      {children.length > 0 ? <NestedList tasks={children} level={level + 1} /> : null}
    </li>
  )
}

/** Imported reports have the title of their task, which is shown beside. */
const ownReportTitle = ({ title, reportTitle }: Task): string | null =>
  reportTitle === title ? null : reportTitle
