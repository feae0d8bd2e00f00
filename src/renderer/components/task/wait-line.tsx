/**
 * A `task_await` as one line that opens to the awaited tasks; their cards are where they were
 * started.
 */
import { Hourglass } from 'lucide-react'
import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import type { ToolCallView } from '../../../shared/projections/transcript/turn-blocks.ts'
import type { TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import { Disclosure } from '../conversation/disclosure.tsx'
import { LongText } from '../conversation/rows/long-text.tsx'
import { counted } from '../primitives/format.ts'
import { StatusIcon, statusLabel, TitleText, Took } from '../primitives/index.ts'
import { plainCause } from './plain-cause.ts'
import { ViewTranscriptButton } from './view-transcript-button.tsx'

/** More icons are replaced by counts. */
const iconsMax = 6

export function WaitLine({ call, tasks }: { call: ToolCallView; tasks: AwaitedTask[] }) {
  const [only] = tasks
  return (
    <Disclosure
      foldKey={call.callId}
      line={
        <>
          <Hourglass aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="flex min-w-0 items-baseline gap-1.5">
            <span className="shrink-0 text-muted">Waited for</span>
            <TitleText
              title={tasks.length === 1 && only ? only.title : counted(tasks.length, 'task')}
            />
          </span>
          <Outcomes tasks={tasks} />
          {call.durationMs !== null ? (
            <Took ms={call.durationMs} className="shrink-0 text-small text-faint" />
          ) : null}
        </>
      }
      body={() => (
        <div className="ml-5.5 space-y-2">
          <ul aria-label="Tasks waited for">
            {tasks.map((task) => (
              <Waited key={task.taskId} task={task} />
            ))}
          </ul>
          {call.output ? <LongText captioned label="Output" text={call.output} /> : null}
        </div>
      )}
    />
  )
}

function Outcomes({ tasks }: { tasks: AwaitedTask[] }) {
  if (tasks.length <= iconsMax)
    return (
      <span className="flex shrink-0 items-center gap-0.5">
        {tasks.map(({ taskId, status }) => (
          <StatusIcon key={taskId} status={status} small />
        ))}
      </span>
    )
  return <StatusCounts statuses={tasks.map(({ status }) => status)} />
}

/** `✓ 9  ✕ 1`, in the order in which the statuses first occur. */
export function StatusCounts({ statuses }: { statuses: TaskStatus[] }) {
  const groups = [...Map.groupBy(statuses, (status) => status)]
  return (
    <span className="tabular flex shrink-0 items-center gap-2 text-small text-muted">
      {groups.map(([status, { length }]) => (
        <span key={status} className="flex items-center gap-1">
          <StatusIcon status={status} small />
          {length}
        </span>
      ))}
    </span>
  )
}

function Waited({ task }: { task: AwaitedTask }) {
  const outcome =
    task.report?.title ?? (task.cause ? plainCause(task.cause) : statusLabel(task.status))
  return (
    <li className="flex min-h-7 items-center gap-2">
      <StatusIcon status={task.status} />
      <TitleText title={task.title} className="max-w-[50%] shrink-0" />
      <span className="untrusted min-w-0 flex-1 truncate text-small text-muted" title={outcome}>
        {outcome}
      </span>
      <ViewTranscriptButton taskId={task.taskId} title={task.title} />
    </li>
  )
}
