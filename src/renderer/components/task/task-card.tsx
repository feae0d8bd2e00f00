/** The card of one task, in place of the `task` call that started it. */

import { Check, Ellipsis, GitMerge, RotateCcw, RotateCw, ScrollText, Square } from 'lucide-react'
import { useContext, useEffect } from 'react'
import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import { openDependencies } from '../../../shared/projections/ledger/open-dependencies.ts'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Activity, activityText } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { costText } from '../../../shared/text/usage-text.ts'
import { useFold } from '../conversation/fold-state.ts'
import {
  type ShownApply,
  type ShownChanges,
  type ShownReport,
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../conversation/task-lookup.ts'
import { Counts } from '../diff/counts.tsx'
import { counted } from '../primitives/format.ts'
import {
  Button,
  Cost,
  FactLine,
  IconButton,
  Menu,
  type ShownStatus,
  Skeleton,
  StatusIcon,
  StatusText,
  Tokens,
} from '../primitives/index.ts'
import { ApplyNote } from './apply-note.tsx'
import { CauseText } from './cause-text.tsx'
import { NestedTasks } from './nested-tasks.tsx'
import { plainCause } from './plain-cause.ts'
import { FoldedMarkdown } from './report-view.tsx'
import { shownStatus } from './shown-status.ts'
import { isSilent, Silence } from './silence.tsx'
import { sleepText } from './sleep-text.ts'
import { TaskElapsed } from './task-elapsed.tsx'
import { canBeResumed, canBeRetried } from './what-next.ts'

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
  const actions = useContext(TaskActionsContext)
  const subject = task ?? result
  const taskId = task?.id ?? result?.taskId ?? null
  const report = result?.report
    ? ({ phase: 'ready', ...result.report } satisfies ShownReport)
    : taskId && task?.hasReport
      ? (lookup.report?.(taskId) ?? null)
      : null
  const { onNeedReport } = actions
  const needsReport = Boolean(task?.hasReport && !isRunning(task.status) && !report)
  useEffect(() => {
    if (needsReport && taskId) onNeedReport?.(taskId)
  }, [needsReport, taskId, onNeedReport])
  const { onNeedChanges } = actions
  const endedRun = task && !isRunning(task.status) ? (task.runs.at(-1)?.run ?? null) : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a patch that is ready or was applied is counted again
  useEffect(() => {
    if (endedRun !== null && taskId) onNeedChanges?.(taskId)
  }, [endedRun, task?.patch, taskId, onNeedChanges])
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
            <ActivityText
              task={task}
              status={status}
              activity={lookup.activity(taskId)}
              lookup={lookup}
              linkTo={actions.linkTo}
            />
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
      {changes ? <Changes {...changes} /> : null}
      {isSilent(activity) ? <Silence activity={activity} /> : null}
    </FactLine>
  )
}

function Changes({ files, additions, deletions, binary, isKnown }: ShownChanges) {
  if (!isKnown) return <span title="Its changes could not be read.">files unknown</span>
  if (files === 0) return null
  return (
    // The dot before a fact is an item of it as well, so that a gap would be twice as wide there.
    <span className="flex">
      {counted(files, 'file')}
      <span className="ml-1.5 flex gap-1.5">
        <Counts additions={additions} deletions={deletions} />
        {binary > 0 ? (
          <span title="Lines of binary files are not counted.">{binary} binary</span>
        ) : null}
      </span>
    </span>
  )
}

function ActivityText(props: {
  task: Task | null
  status: ShownStatus
  activity: Activity | null
  lookup: TaskLookup
  linkTo?(id: TaskId): string
}) {
  const { task, status, activity, lookup, linkTo } = props
  if (!task) return null
  // A blocked task no longer waits: its cause, below, names the dependency.
  const waitsFor =
    status === 'queued' || status === 'not-started'
      ? openDependencies(task, lookup.byId, lookup.childrenOf)
      : []
  if (waitsFor.length > 0)
    return (
      <p className="untrusted text-muted">
        Waits for{' '}
        {waitsFor.map((other, index) => (
          <span key={other.id}>
            {linkTo ? (
              <a href={linkTo(other.id)} className="rounded-sm text-accent hover:underline">
                {plainText(other.title)}
              </a>
            ) : (
              plainText(other.title)
            )}
            {index < waitsFor.length - 1 ? ', ' : ''}
          </span>
        ))}
      </p>
    )
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

function CardActions(props: {
  taskId: TaskId
  title: string
  task: Task | null
  apply: ShownApply | null
}) {
  const { taskId, title, task, apply } = props
  const { onViewTranscript, onApply, onStop, onResume, onRetry, unreachable } =
    useContext(TaskActionsContext)
  const waiting = useContext(TaskLookupContext).activity(taskId)?.state === 'waiting'
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
        <Button
          size="small"
          icon={<GitMerge />}
          disabled={unreachable !== undefined}
          title={unreachable}
          busy={apply?.kind === 'applying'}
          aria-label={apply?.kind === 'applying' ? undefined : `Apply changes of ${title}`}
          onClick={() => onApply(taskId)}
        >
          {apply?.kind === 'applying' ? 'Applying…' : 'Apply changes'}
        </Button>
      ) : null}
      {task && (isRunning(task.status) || waiting) && onStop ? (
        <Button
          size="small"
          icon={<Square />}
          disabled={unreachable !== undefined}
          title={unreachable}
          aria-label={`Stop ${title}`}
          onClick={() => onStop(taskId)}
        >
          Stop
        </Button>
      ) : null}
      {task && canBeResumed(task) && !waiting && onResume ? (
        <Button
          size="small"
          icon={<RotateCcw />}
          disabled={unreachable !== undefined}
          title={unreachable}
          aria-label={`Resume ${title}`}
          data-action="resume"
          onClick={() => onResume(taskId)}
        >
          Resume
        </Button>
      ) : null}
      {task && canBeRetried(task) && onRetry ? (
        <Button
          size="small"
          icon={<RotateCw />}
          disabled={unreachable !== undefined}
          title={unreachable}
          aria-label={`Retry ${title}`}
          onClick={() => onRetry(taskId)}
        >
          Retry
        </Button>
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
