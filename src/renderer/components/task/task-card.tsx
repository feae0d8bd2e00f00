/** The card of one task, in place of the `task` call that started it. */

import { useContext, useEffect } from 'react'
import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import { openDependencies } from '../../../shared/projections/ledger/open-dependencies.ts'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import { activityText } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { costText } from '../../../shared/text/usage-text.ts'
import { useFold } from '../conversation/fold-state.ts'
import {
  type ShownReport,
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../conversation/task-lookup.ts'
import { counted } from '../primitives/format.ts'
import {
  Cost,
  FactLine,
  type ShownStatus,
  Skeleton,
  StatusIcon,
  StatusText,
  Tokens,
} from '../primitives/index.ts'
import { ApplyNote } from './apply-note.tsx'
import { CardActions } from './card-actions.tsx'
import { CauseText } from './cause-text.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { NestedTasks } from './nested-tasks.tsx'
import { plainCause } from './plain-cause.ts'
import { FoldedMarkdown } from './report-view.tsx'
import { shownStatus } from './shown-status.ts'
import { isSilent, Silence } from './silence.tsx'
import { sleepText } from './sleep-text.ts'
import { TaskElapsed } from './task-elapsed.tsx'

/**
 * `task` is its present state in the ledger, `result` the one returned to the parent. At least one
 * is set.
 */
export function TaskCard(props: {
  task: Task | null
  result: AwaitedTask | null
  /** Keeps the fold state of each card. */
  foldKey: string
}) {
  const { task, result, foldKey } = props
  const lookup = useContext(TaskLookupContext)
  const subject = task ?? result
  const taskId = task?.id ?? result?.taskId ?? null
  const report = result?.report
    ? ({ phase: 'ready', ...result.report } satisfies ShownReport)
    : taskId && task?.hasReport
      ? (lookup.report?.(taskId) ?? null)
      : null
  useCardRequests(task, report)
  if (!subject || !taskId) return null

  const { title, agent } = subject
  const status = task
    ? shownStatus(task, lookup.byId(task.rootId), lookup.activity(taskId))
    : subject.status
  const sleep = task && sleepOf(task, lookup.byId(task.rootId))
  const cause = task ? task.cause : (result?.cause ?? null)
  const apply = lookup.apply?.(taskId) ?? null
  return (
    <article
      aria-label={`Task: ${title}`}
      data-task={taskId}
      className="@container my-1 rounded-md border bg-canvas"
    >
      <header className="flex flex-col gap-x-3 gap-y-2 px-3 py-2 @wide:flex-row @wide:items-start">
        <div className="flex min-w-0 flex-1 gap-2">
          <StatusIcon status={status} decorative className="mt-0.5" />
          <div className="min-w-0 flex-1">
            <h2 className="untrusted line-clamp-2 font-semibold" dir="auto">
              {title}
            </h2>
            <Meta task={task} agent={agent} status={status} />
            <ActivityText task={task} status={status} />
            {sleep ? (
              <p className="untrusted text-muted">{sleepText(sleep)}</p>
            ) : cause && status !== 'completed' ? (
              <CauseText
                text={plainCause(cause)}
                foldKey={`${foldKey}:cause`}
                className={status === 'failed' ? 'text-red' : 'text-muted'}
              />
            ) : null}
          </div>
        </div>
        <CardActions taskId={taskId} title={title} task={task} apply={apply} />
      </header>
      <ApplyNote apply={apply} />
      {report ? <CardReport report={report} taskTitle={title} foldKey={foldKey} /> : null}
      <NestedTasks parentId={taskId} />
    </article>
  )
}

/** Requests what a card shows of a task that is over: its report, and the counts of its changes. */
function useCardRequests(task: Task | null, report: ShownReport | null): void {
  const { onNeedReport, onNeedChanges } = useContext(TaskActionsContext)
  const lookup = useContext(TaskLookupContext)
  const over = task && !isRunning(task.status) ? task : null
  const taskId = task?.id
  const needsReport = Boolean(over?.hasReport && !report)
  useEffect(() => {
    if (needsReport && taskId) onNeedReport?.(taskId)
  }, [needsReport, taskId, onNeedReport])
  const endedRun = over?.runs.at(-1)?.run
  const below = over && statesBelow(lookup, over)
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes are counted again when a task has ended or was applied
  useEffect(() => {
    if (endedRun !== undefined && taskId) onNeedChanges?.(taskId)
  }, [endedRun, below, taskId, onNeedChanges])
}

/** Differs whenever the task or one below it has ended or was applied. */
const statesBelow = (lookup: TaskLookup, task: Task): string =>
  [
    task.status,
    task.patch,
    ...lookup.childrenOf(task.id).map((child) => statesBelow(lookup, child)),
  ].join()

function Meta({ task, agent, status }: { task: Task | null; agent: string; status: ShownStatus }) {
  const lookup = useContext(TaskLookupContext)
  const usage = task ? (lookup.usage?.(task.id) ?? task.usage) : null
  const changes = task && !isRunning(task.status) ? (lookup.changes?.(task.id) ?? null) : null
  const activity = task && lookup.activity(task.id)
  return (
    <FactLine>
      <StatusText status={status} />
      <span className="untrusted">{agent}</span>
      {task && task.runs.length > 1 ? <span>{counted(task.runs.length, 'run')}</span> : null}
      {task && task.runs.length > 0 ? <TaskElapsed task={task} /> : null}
      {usage && usage.inputTokens + usage.outputTokens > 0 ? (
        <Tokens input={usage.inputTokens} output={usage.outputTokens} complete={usage.complete} />
      ) : null}
      {usage && costText(usage) !== null ? <Cost usage={usage} /> : null}
      <ChangedFiles changes={changes} />
      {isSilent(activity) ? <Silence activity={activity} /> : null}
    </FactLine>
  )
}

function ActivityText({ task, status }: { task: Task | null; status: ShownStatus }) {
  const lookup = useContext(TaskLookupContext)
  if (!task) return null
  const activity = lookup.activity(task.id)
  // A blocked task no longer waits: its cause, below, names the dependency.
  const waitsFor =
    status === 'queued' || status === 'not-started'
      ? openDependencies(task, lookup.byId, lookup.childrenOf)
      : []
  if (waitsFor.length > 0) return <WaitsFor tasks={waitsFor} />
  const text = isRunning(task.status)
    ? activity
      ? activityText(activity)
      : 'Working'
    : activity?.state === 'waiting' || status === 'queued'
      ? activityText({ state: 'waiting' })
      : null
  return text ? (
    <p className="truncate text-muted" title={text} dir="auto">
      {text}
    </p>
  ) : null
}

function WaitsFor({ tasks }: { tasks: Task[] }) {
  const { linkTo } = useContext(TaskActionsContext)
  return (
    <p className="untrusted text-muted">
      Waits for{' '}
      {tasks.map((task, index) => (
        <span key={task.id}>
          {linkTo ? (
            <a href={linkTo(task.id)} className="rounded-sm text-accent hover:underline">
              {plainText(task.title)}
            </a>
          ) : (
            plainText(task.title)
          )}
          {index < tasks.length - 1 ? ', ' : ''}
        </span>
      ))}
    </p>
  )
}

function CardReport(props: { report: ShownReport; taskTitle: string; foldKey: string }) {
  const { report, taskTitle, foldKey } = props
  const [open, toggle] = useFold(`${foldKey}:report`)
  return (
    <div className="border-t py-2.5 pr-3 pl-9">
      {report.phase === 'loading' ? <Skeleton lines={3} /> : null}
      {report.phase === 'failed' ? (
        <p className="untrusted text-red">The report could not be read: {report.why}</p>
      ) : null}
      {report.phase === 'ready' ? (
        <>
          {/* Imported reports have no title of their own. */}
          {report.title === taskTitle ? null : (
            <h3 className="untrusted font-semibold" dir="auto">
              {plainText(report.title)}
            </h3>
          )}
          <div className="mt-1">
            <FoldedMarkdown
              markdown={report.markdown}
              open={open}
              onToggle={toggle}
              foldKey={`${foldKey}:report`}
            />
          </div>
        </>
      ) : null}
    </div>
  )
}
