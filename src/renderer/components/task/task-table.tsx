/** Many tasks started by one turn: a line each, which opens to the task's card. */

import { ChevronRight, ScrollText, Users } from 'lucide-react'
import { useContext } from 'react'
import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { ToolCallView } from '../../../shared/projections/transcript/turn-blocks.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { activityLine } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { useFold } from '../conversation/fold-state.ts'
import {
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../conversation/task-lookup.ts'
import { counted } from '../primitives/format.ts'
import { classNames, IconButton, StatusIcon, TextButton, TitleText } from '../primitives/index.ts'
import { plainCause } from './plain-cause.ts'
import { shownStatus } from './shown-status.ts'
import { Silence } from './silence.tsx'
import { sleepText } from './sleep-text.ts'
import { TaskCard } from './task-card.tsx'
import { TaskElapsed } from './task-elapsed.tsx'
import { StatusCounts } from './wait-line.tsx'

/** A screenful; the others are shown on demand. */
const rowsShownMax = 20

interface Started {
  call: ToolCallView
  id: TaskId
  task: Task | null
  result: AwaitedTask | null
}

/**
 * Returns the task that a `task` call started; null if it started none, or its entries are not
 * loaded.
 */
export function startedBy(call: ToolCallView, lookup: TaskLookup): Started | null {
  const result = call.detail?.kind === 'tasks' ? (call.detail.tasks[0] ?? null) : null
  const task = lookup.byCallId(call.callId) ?? (result ? lookup.byId(result.taskId) : null)
  const id = task?.id ?? result?.taskId
  return id ? { call, id, task, result } : null
}

export function TaskTable({ calls, foldKey }: { calls: ToolCallView[]; foldKey: string }) {
  const lookup = useContext(TaskLookupContext)
  const [all, showAll] = useFold(`${foldKey}:all`)
  const started = calls.flatMap((call) => startedBy(call, lookup) ?? [])
  const shown = all ? started : started.slice(0, rowsShownMax)
  const label = `Started ${counted(calls.length, 'task')}`
  return (
    <section aria-label={label} className="my-1 rounded-md border bg-canvas">
      <header className="flex min-h-8 items-center gap-2 border-b px-3">
        <Users aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="flex-1 text-muted">{label}</span>
        <StatusCounts
          statuses={started.flatMap(({ task, result }) => (task ?? result)?.status ?? [])}
        />
      </header>
      <ul className="divide-y">
        {shown.map((one) => (
          <TaskRow key={one.call.callId} started={one} />
        ))}
      </ul>
      {started.length > rowsShownMax ? (
        <p className="border-t px-3 py-1.5 text-small">
          <TextButton aria-expanded={all} onClick={showAll}>
            {all ? 'Show fewer' : `Show all ${started.length} tasks`}
          </TextButton>
        </p>
      ) : null}
    </section>
  )
}

function TaskRow({ started }: { started: Started }) {
  const { call, id, task, result } = started
  const lookup = useContext(TaskLookupContext)
  const { onViewTranscript } = useContext(TaskActionsContext)
  const [open, toggle] = useFold(`${call.callId}:row`)
  const subject = task ?? result
  if (!subject) return null
  const { title } = subject
  const root = task ? lookup.byId(task.rootId) : null
  const status = task ? shownStatus(task, root, lookup.activity(task.id)) : subject.status
  const sleep = task && sleepOf(task, root)
  const cause = task ? task.cause : (result?.cause ?? null)
  const note =
    task && isRunning(task.status)
      ? activityLine(lookup.activity(id))
      : sleep
        ? sleepText(sleep)
        : (task?.reportTitle ?? result?.report?.title ?? (cause ? plainCause(cause) : null))
  return (
    <li data-task={id}>
      <div className="flex min-h-7 items-center gap-2 pr-1 pl-3">
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded-sm text-left"
        >
          <ChevronRight
            aria-hidden
            className={classNames(
              'size-3.5 shrink-0 text-faint transition-transform',
              open && 'rotate-90',
            )}
          />
          <StatusIcon status={status} />
          <TitleText title={title} className="max-w-[55%] shrink-0" />
          <span
            className="untrusted min-w-0 flex-1 truncate text-small text-muted"
            title={note ?? undefined}
          >
            {note}
          </span>
        </button>
        {task ? <Silence activity={lookup.activity(id)} className="shrink-0 text-small" /> : null}
        {task ? <TaskElapsed task={task} className="shrink-0 text-small text-muted" /> : null}
        {onViewTranscript ? (
          <IconButton
            size="small"
            label={`View transcript of ${title}`}
            icon={<ScrollText />}
            data-action="transcript"
            onClick={() => onViewTranscript(id)}
          />
        ) : null}
      </div>
      {open ? (
        <div className="px-2 pb-1">
          <TaskCard task={task} result={result} foldKey={call.callId} />
        </div>
      ) : null}
    </li>
  )
}
